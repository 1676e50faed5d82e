"""`python -m primewood` is the command line."""

from primewood.cli.main import run

if __name__ == "__main__":
    run()
