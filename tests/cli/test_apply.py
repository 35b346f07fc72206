import csv
import json

import numpy as np
import pandas as pd
import pytest

from protopick import FarthestFirstSelector, load, save, weighted_sum


@pytest.fixture
def model(protopick, flowers):
    protopick(
        "pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 5, "--save", "flowers.model"
    )
    return load("flowers.model")


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_features_are_those_of_transform_by_rank(protopick, flowers, model):
    protopick("apply", "flowers.model", "flowers.csv", "--ids", "name")
    rows = rows_of("features.csv")
    space = np.array([[float(row[f"prototype{j + 1}"]) for j in range(5)] for row in rows])
    selector = model[0]
    names = list(selector.feature_names_in_)
    del selector.feature_names_in_
    by_rank = selector.transform(flowers[names].to_numpy())[:, selector.order_]
    assert selector.order_.tolist() != [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(space, by_rank)
    assert [row["id"] for row in rows] == flowers["name"].tolist()


@pytest.mark.parametrize("out", ["features.csv", "features.npy"])
def test_a_column_of_features_is_of_the_prototype_of_that_rank(protopick, flowers, model, out):
    protopick("apply", "flowers.model", "flowers.csv", "--out", out)
    for prototype in rows_of("prototypes.csv"):
        rank, index = int(prototype["rank"]), int(prototype["index"])
        if out.endswith(".npy"):
            assert np.load(out)[index, rank - 1] == 0
        else:
            assert float(rows_of(out)[index][f"prototype{rank}"]) == 0


def test_only_the_columns_of_the_model_are_compared(protopick, flowers, model):
    shuffled = flowers.drop(columns="name")[
        ["petal width", "species", "sepal width", "petal length", "sepal length"]
    ]
    shuffled.to_csv("other.csv", index=False)
    protopick("apply", "flowers.model", "flowers.csv", "--out", "a.npy")
    protopick("apply", "flowers.model", "other.csv", "--out", "b.npy")
    np.testing.assert_array_equal(np.load("a.npy"), np.load("b.npy"))
    flowers.drop(columns="petal width").to_csv("less.csv", index=False)
    assert "no column 'petal width'" in protopick("apply", "flowers.model", "less.csv", code=1).stderr


def test_classes_and_their_error(protopick, flowers, model):
    done = protopick("apply", "flowers.model", "flowers.csv", "--predict", "--labels", "species", "--json")
    classes = [row["class"] for row in rows_of("predictions.csv")]
    error = np.mean(np.array(classes) != flowers["species"].to_numpy())
    assert json.loads(done.stdout)["error"] == pytest.approx(error)
    assert error < 0.1


def test_a_model_without_classes_cannot_tell_any(protopick, flowers):
    protopick("pick", "flowers.csv", "--columns", "sepal width", "-k", 3, "--save", "m")
    assert "Pick again with --labels" in protopick("apply", "m", "flowers.csv", "--predict", code=1).stderr


def test_a_metric_made_of_others(protopick, flowers):
    metric = weighted_sum({"name": ("levenshtein", 0.3), "petal width": ("euclidean", 1.0)})
    selector = FarthestFirstSelector(3, metric=metric, random_state=0).fit(flowers)
    save(selector, "composed.model")
    flowers.to_csv("flowers.csv", index=False)
    protopick("apply", "composed.model", "flowers.csv", "--out", "features.npy")
    by_rank = selector.transform(flowers)[:, selector.order_]
    np.testing.assert_allclose(np.load("features.npy"), by_rank, rtol=1e-6)


def test_mixed_tables_and_strings(protopick, flowers, words):
    protopick("pick", "flowers.csv", "--ids", "name", "-k", 3, "--save", "mixed")
    protopick("apply", "mixed", "flowers.csv", "--out", "mixed.npy")
    assert np.load("mixed.npy").shape == (150, 3)
    protopick("pick", "words.txt", "-k", 3, "--save", "strings")
    done = protopick("apply", "strings", "words.txt", "--out", "-")
    assert done.stdout.startswith("index,prototype1,prototype2,prototype3\n0,")


def test_what_is_left_out_is_told(protopick, words, here):
    protopick("pick", "words.txt", "-k", 3, "--method", "random", "--save", "m")
    (here / "new.txt").write_text("ab\n\ncd\n")
    assert "Left out: 1 blank line" in protopick("apply", "m", "new.txt").stderr
    assert len(rows_of("features.csv")) == 2


def test_dissimilarities_of_new_objects_to_all_fitted(protopick):
    points = np.random.default_rng(0).normal(size=(40, 2))
    D = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    np.save("d.npy", D[:30, :30])
    np.save("new.npy", D[30:, :30])
    protopick("pick", "d.npy", "-k", 4, "--method", "farthest-first", "--save", "m")
    protopick("apply", "m", "new.npy", "--out", "space.npy")
    found = load("m")
    by_rank = found.prototype_indices_[found.order_]
    np.testing.assert_array_equal(np.load("space.npy"), D[30:, by_rank])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["no.model", "flowers.csv"],
            "MODEL=no.model is not there. Name a file that protopick saved.",
        ),
        (
            ["flowers.csv", "flowers.csv"],
            "MODEL=flowers.csv is not a file that protopick saved, or has changed since: File",
        ),
        (
            ["flowers.model", "flowers.csv", "--columns", "sepal length"],
            "--columns names 1 column, but the model compares 4: 'sepal length', 'sepal width', 'petal",
        ),
        (["flowers.model", "wide.npy"], "wide.npy has 5 columns, but the model compares 4: 'sepal length'"),
        (["flowers.model", "gaps.npy"], "column 1 (counted from 0). Fill the gaps, or drop such rows."),
        (
            ["flowers.model", "gaps.csv"],
            "lacks some in 'sepal width'. The model needs all its columns: mend the values, or leave such",
        ),
        (
            ["flowers.model", "infinite.csv"],
            "holds infinity in 'sepal width', which nothing can be compared with. The model needs all its",
        ),
        (["flowers.model", "text.csv"], "has other columns: 'sepal width'. The model needs all its columns"),
        (["flowers.model", "words.txt"], "holds strings. The model compares nothing else."),
        (
            ["flowers.model", "flowers.csv", "--labels", "species"],
            "Pass --predict too, or leave --labels",
        ),
        (
            ["flowers.model", "wide.npy", "--no-header"],
            "--header/--no-header applies to .csv, .tsv, not to .npy.",
        ),
        (["flowers.model", "no.csv"], "does not exist"),
        (["flowers.model", "flowers.csv", "--out", "x.xls"], "ends in .csv or .npy"),
    ],
)
def test_a_mistake_is_one_sentence(protopick, flowers, words, model, arguments, message):
    np.save("wide.npy", np.ones((3, 5)))
    np.save("gaps.npy", np.array([[1, np.nan, 1, 1], [1, 2, 3, 4]]))
    for name, value in {"gaps": np.nan, "infinite": np.inf, "text": "wide"}.items():
        widths = [value, *flowers["sepal width"][1:]]
        flowers.assign(**{"sepal width": widths}).to_csv(f"{name}.csv", index=False)
    assert message in " ".join(protopick("apply", *arguments, code=1).stderr.split())


def test_pictures_of_another_size_have_a_way_out(protopick):
    np.save("small.npy", np.random.default_rng(0).integers(0, 255, (30, 8, 8), np.uint8))
    np.save("large.npy", np.zeros((3, 9, 9), np.uint8))
    protopick("pick", "small.npy", "-k", 2, "--method", "random", "--save", "m.model")
    said = " ".join(protopick("apply", "m.model", "large.npy", code=1).stderr.split())
    assert "large.npy holds pictures of 81 numbers, but the model compares 64. Pass pictures of the" in said


def test_pictures_keep_their_size(protopick, here):
    np.save("pictures.npy", np.random.default_rng(0).integers(0, 255, (30, 8, 8), np.uint8))
    pd.Series([0, 1] * 15).to_csv("y.txt", index=False, header=False)
    protopick("pick", "pictures.npy", "-k", 4, "--labels", "y.txt", "--save", "m", "--method", "swap")
    protopick("apply", "m", "pictures.npy", "--predict")
    assert {row["class"] for row in rows_of("predictions.csv")} <= {"0", "1"}


def test_the_column_that_was_compared_alone_is_found_again(protopick, flowers):
    protopick("pick", "flowers.csv", "--columns", "name", "-k", 3, "--save", "m", "--method", "random")
    protopick("apply", "m", "flowers.csv", "--out", "a.npy")
    flowers["name"].to_csv("names.txt", index=False, header=False)
    protopick("apply", "m", "names.txt", "--out", "b.npy")
    np.testing.assert_array_equal(np.load("a.npy"), np.load("b.npy"))


def test_nothing_that_is_read_is_replaced(protopick, flowers, model, here):
    before = (here / "flowers.csv").read_bytes()
    said = protopick("apply", "flowers.model", "flowers.csv", "--out", "flowers.csv", code=1).stderr
    assert "would replace a file that is read" in said
    assert (here / "flowers.csv").read_bytes() == before


def test_one_is_not_called_several(protopick, here):
    (here / "one.txt").write_text("word\n")
    protopick("pick", "one.txt", "-k", 1, "--method", "random", "--save", "m")
    assert "1 object of one.txt, by 1 prototype.\n" in protopick("apply", "m", "one.txt").stdout
    assert "holds 1 object. " in protopick("compare", "one.txt", "-k", 1, code=1).stderr


def test_json_and_lines_do_not_mix(protopick, flowers, model):
    said = protopick("apply", "flowers.model", "flowers.csv", "--out", "-", "--json", code=1).stderr
    assert "both write to standard output" in said


def test_labels_that_the_model_does_not_know(protopick, here):
    np.savez("x.npz", X=np.arange(24.0).reshape(12, 2), y=np.arange(12) // 6, names=["few", "many"])
    protopick("pick", "x.npz", "--labels", "y", "--label-names", "names", "-k", 2, "--save", "m")
    said = protopick("apply", "m", "x.npz", "--predict", "--labels", "y", code=1).stderr
    assert (
        "None of the labels is a class of the model: they are such as '0', its classes such as 'few'" in said
    )
    assert not (here / "predictions.csv").exists()
    known = protopick("apply", "m", "x.npz", "--predict", "--labels", "y", "--label-names", "names", "--json")
    assert json.loads(known.stdout)["error"] == 0


def test_an_array_without_names_has_the_columns_in_their_order(protopick, flowers, model):
    np.save("x.npy", flowers[["sepal length", "sepal width", "petal length", "petal width"]].to_numpy())
    protopick("apply", "flowers.model", "flowers.csv", "--out", "a.npy")
    protopick("apply", "flowers.model", "x.npy", "--out", "b.npy")
    np.testing.assert_array_equal(np.load("a.npy"), np.load("b.npy"))
