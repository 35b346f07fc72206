"""
Surnames of five languages
==========================

Strings are no vectors. Their edit distances to twenty of them are, and that is enough
to guess the language of a name, and to draw a map of all of them.
"""

# %%
# A small collection of surnames.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from protopick import SwapSelector, describe, ldc

NAMES = {
    "Italian": """Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco
        Bruno Gallo Conti Mancini Costa Giordano Rizzo Lombardi Moretti Barbieri
        Fontana Santoro Mariani Rinaldi Caruso Ferrara Galli Martini Leone Longo
        Gentile Martinelli Vitale Lombardo Serra Coppola""",
    "Polish": """Nowak Kowalski Wisniewski Wojcik Kowalczyk Kaminski Lewandowski
        Zielinski Szymanski Wozniak Dabrowski Kozlowski Jankowski Mazur
        Wojciechowski Kwiatkowski Krawczyk Kaczmarek Piotrowski Grabowski Zajac
        Pawlowski Michalski Krol Wieczorek Jablonski Wrobel Nowakowski Majewski
        Olszewski""",
    "Japanese": """Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi
        Kato Yoshida Yamada Sasaki Yamaguchi Matsumoto Inoue Kimura Hayashi Shimizu
        Yamazaki Mori Abe Ikeda Hashimoto Yamashita Ishikawa Nakajima Maeda Fujita
        Ogawa Goto Okada Hasegawa Murakami""",
    "German": """Mueller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz
        Hoffmann Schaefer Koch Bauer Richter Klein Wolf Schroeder Neumann Schwarz
        Zimmermann Braun Krueger Hofmann Hartmann Lange Schmitt Werner Schmitz
        Krause Meier Lehmann Schmid Schulze Maier""",
    "Irish": """Murphy Kelly Sullivan Walsh OBrien Byrne Ryan OConnor ONeill OReilly
        Doyle McCarthy Gallagher ODoherty Kennedy Lynch Murray Quinn Moore
        McLoughlin OCarroll Connolly Daly OConnell Wilson Dunne Brennan Burke
        Collins Campbell Clarke Johnston Hughes OFarrell""",
}
names = [name for line in NAMES.values() for name in line.split()]
language = np.repeat(list(NAMES), [len(line.split()) for line in NAMES.values()])

# %%
# First a look at the measure: does it tell the languages apart at all?
metric = {"metric": "levenshtein", "metric_params": {"normalized": True}}
print(describe(names, **metric, y=language))

# %%
# Twenty names, at least two of each language. A classifier on twenty distances, tested
# on names that neither the swaps nor the classifier saw.
selector = SwapSelector(
    20, **metric, criterion="discriminant", per_class=2, random_state=0
)
accuracy = cross_val_score(make_pipeline(selector, ldc()), names, language, cv=5)
largest = np.mean(language == "Italian")
print(f"{accuracy.mean():.0%} right; always saying Italian: {largest:.0%}")

# %%
# These are the names. A notebook shows a fitted selector as a gallery.
selector.fit(names, language)

# %%
# A map from the dissimilarity space: the two directions in it that part the languages
# most. The prototypes are in bold, the colours those of the gallery above.
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

space = selector.transform(names)
points = LinearDiscriminantAnalysis(n_components=2).fit_transform(space, language)
colours = dict(
    zip(NAMES, ("#2a9455", "#9467bd", "#d64550", "#3b82c4", "#d9730d"), strict=True)
)
figure, ax = plt.subplots(figsize=(9.4, 6.4))
ax.scatter(*points.T, s=0)
for i, (x, y) in enumerate(points):
    picked = i in selector.prototype_indices_
    style = {"weight": "bold", "size": 12} if picked else {"alpha": 0.5, "size": 8}
    ax.text(
        x, y, names[i], color=colours[language[i]], ha="center", va="center", **style
    )
for name, colour in colours.items():
    ax.scatter([], [], color=colour, label=name)
ax.legend(frameon=False, ncols=5, loc="upper center", bbox_to_anchor=(0.5, 1.06))
ax.set_axis_off()
figure.tight_layout()
plt.show()
