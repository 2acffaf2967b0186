"""What is asked of a user's step and instance before anything is concluded from them."""
