def write(store):
    pass
