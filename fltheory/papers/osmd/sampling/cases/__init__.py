"""Cases. Section 2 and Appendix A: estimators under sampling with and without replacement, and their variance."""
