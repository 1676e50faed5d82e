"""The C++ core under sanitizers: address, undefined behaviour and casts of floats; races between threads.

``python -m sanitizers`` builds the core again with the compiler's sanitizers, and runs blocks of tests with it. Python
and the libraries of models are not instrumented: what they do among themselves is not looked at.
"""
