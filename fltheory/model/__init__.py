"""The data model: bounds, cases, records, and citation locators."""
