def write(store): pass
