"""The page: the laboratory in a browser. `oratory serve` starts it.

Pages are rendered on the server; where interaction needs it, small scripts of our own ask the API beside them. A view
is one file in `views/`, with its template and its script. Nothing is loaded from a network.
"""
