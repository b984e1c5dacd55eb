"""How the models of Arbitro are made; needs the optional extra `train`."""
