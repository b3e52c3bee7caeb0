"""The referee's desk in the browser: what lies on it is plain, the page on top of it is thin and made with viser."""
