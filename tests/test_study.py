"""A study: scores recover a planted order, intervals hold, orders are counterbalanced, and what does not fit is refused."""

import base64
import dataclasses
import json
import re
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner
from page_browser import browser_page
from scipy.optimize import minimize

import pucker
from pucker import byexample, study
from pucker.cli import cli
from pucker.examples import bending_sleeve
from pucker.io import facets_of
from pucker.metrics import Reproduced, Truth
from pucker.render import ClipRenderer
from pucker.study.page import write_study
from pucker.study.videos import VIEW, Films, to_and_fro

ITEMS = ("simulated", "by example", "draped", "dynamic", "waves")
PLANTED = np.array([1.2, 0.5, 0.2, -0.7, -1.2])


def votes(rng, strengths, a_pair):
    """How often each item was chosen beside each other by voters of the Bradley–Terry model."""
    wins = np.zeros((len(strengths), len(strengths)))
    for one, two in combinations(range(len(strengths)), 2):
        chosen = rng.binomial(a_pair, 1.0 / (1.0 + np.exp(strengths[two] - strengths[one])))
        wins[one, two], wins[two, one] = chosen, a_pair - chosen
    return wins


# --- scores -------------------------------------------------------------------------------------------------------


def test_a_planted_order_is_recovered(rng):
    found = study.bradley_terry(ITEMS, votes(rng, PLANTED, 400))
    assert np.argsort(-found.scores).tolist() == [0, 1, 2, 3, 4]
    assert found.scores == pytest.approx(PLANTED - PLANTED.mean(), abs=0.3)
    assert found.scores.mean() == pytest.approx(0.0, abs=1e-12)


def test_two_items_have_their_log_odds():
    found = study.bradley_terry(("a", "b"), [[0, 30], [10, 0]])
    assert found.scores == pytest.approx([0.5 * np.log(3.0), -0.5 * np.log(3.0)])
    # Of the log-odds of a share of 3/4 of 40, half of it on either side.
    assert found.high[0] - found.scores[0] == pytest.approx(1.959964 * 0.5 / np.sqrt(40 * 0.75 * 0.25))
    chance, low, high = found.beside("a", "b")
    assert chance == pytest.approx(0.75)
    assert low < 0.75 < high


def test_scores_are_the_most_likely(rng):
    wins = votes(rng, PLANTED, 12) + 1.0

    def unlikely(scores):
        return -sum(wins[a, b] * -np.log1p(np.exp(scores[b] - scores[a])) for a in range(5) for b in range(5) if a != b)

    best = minimize(unlikely, np.zeros(5), tol=1e-12).x
    assert study.bradley_terry(ITEMS, wins).scores == pytest.approx(best - best.mean(), abs=1e-4)


def test_intervals_hold_as_often_as_they_say(rng):
    truth = PLANTED - PLANTED.mean()
    held = Counter()
    tries = 400
    for _ in range(tries):
        found = study.bradley_terry(ITEMS, votes(rng, PLANTED, 40))
        held["scores"] += np.sum((found.low <= truth) & (truth <= found.high)) / len(ITEMS)
        _, low, high = found.beside("draped", "simulated")
        held["beside"] += low <= 1.0 / (1.0 + np.exp(PLANTED[0] - PLANTED[2])) <= high
    # Four standard deviations of a share of 95 % in so many tries.
    for name, count in held.items():
        assert abs(count / tries - 0.95) < 4.0 * np.sqrt(0.95 * 0.05 / tries), name


def test_comparisons_that_do_not_connect_are_refused():
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[1, 0] = apart[2, 3] = apart[3, 2] = 5
    with pytest.raises(ValueError, match="nothing compares c, d with a: scores need choices between them"):
        study.bradley_terry("abcd", apart)
    with pytest.raises(ValueError, match="a was always chosen beside b, c, so that no finite score is the most likely"):
        study.bradley_terry("abc", [[0, 5, 5], [0, 0, 3], [0, 2, 0]])
    # Connected over a third, without a direct question.
    chain = study.bradley_terry("abc", [[0, 3, 0], [2, 0, 3], [0, 2, 0]])
    assert np.all(np.diff(chain.scores) < 0.0)
    for wrong, message in (
        (np.zeros((2, 3)), r"wins must be \(2, 2\) of at least two items"),
        ([[0, -1], [1, 0]], "wins must be finite and not negative"),
        ([[0, np.nan], [1, 0]], "wins must be finite and not negative"),
    ):
        with pytest.raises(ValueError, match=message):
            study.bradley_terry("ab", wrong)


# --- design -------------------------------------------------------------------------------------------------------

SCENES = {"arm": ITEMS, "knee": ITEMS[:3]}


def test_every_two_items_of_a_scene_make_a_pair():
    pairs = study.pairs_of(SCENES)
    assert len(pairs) == 10 + 3
    assert len({(each.scene, frozenset(each.items)) for each in pairs}) == 13
    with pytest.raises(ValueError, match="a study needs a scene"):
        study.pairs_of({})
    with pytest.raises(ValueError, match="arm must have at least two items, each once, not"):
        study.pairs_of({"arm": ("a", "a")})


@pytest.mark.parametrize(("orders", "questions"), [(2, 13), (8, 6), (26, 5), (6, 1)])
def test_orders_are_counterbalanced(orders, questions):
    pairs = study.pairs_of(SCENES)
    found = study.orders_of(pairs, orders=orders, questions=questions, seed=3)
    assert len(found) == orders
    asked, sides = Counter(), Counter()
    for order in found:
        numbers = [trial.pair for trial in order]
        assert len(set(numbers)) == len(numbers) == questions
        assert abs(sum(trial.turned for trial in order) - questions / 2) <= 0.5
        asked.update(numbers)
        for trial in order:
            sides[trial.pair, trial.turned] += 1
    # Orders come in twos.
    counts = [asked[number] for number in range(len(pairs))]
    assert max(counts) - min(counts) <= 2
    for number in range(len(pairs)):
        assert sides[number, True] == sides[number, False]
    for one, two in zip(found[::2], found[1::2], strict=True):
        assert [trial.pair for trial in one] == [trial.pair for trial in reversed(two)]


def test_orders_follow_from_the_seed():
    pairs = study.pairs_of(SCENES)
    orders = [study.orders_of(pairs, orders=4, questions=8, seed=seed) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    for number in (0, 3, -2):
        with pytest.raises(ValueError, match=f"must be even and positive, not {number}"):
            study.orders_of(pairs, orders=number, questions=8, seed=1)
    for number in (0, 14):
        with pytest.raises(ValueError, match=f"questions must be from 1 to 13, the number of pairs, not {number}"):
            study.orders_of(pairs, orders=4, questions=number, seed=1)


# --- answers ------------------------------------------------------------------------------------------------------


def file_of(
    path, person="a", *, study="s1", answers=None, items=("simulated", "waves"), asked=None, header=study.HEADER
):
    """A file as the page saves it; answers are (left, right, chosen)."""
    given = [("simulated", "waves", "left")] if answers is None else answers
    told = [{"scene": "arm", "left": left, "right": right, "chosen": which} for left, right, which in given]
    content = {"header": header, "study": study, "person": person, "items": items, "answers": told}
    path.write_text(json.dumps({**content, "asked": len(told) if asked is None else asked}))
    return path


def voters(rng, folder, people=12, a_pair=4):
    """Files of made-up people who choose by the planted scores."""
    files = []
    for person in range(people):
        answers = []
        for one, two in list(combinations(range(len(ITEMS)), 2)) * a_pair:
            first = rng.random() < 1.0 / (1.0 + np.exp(PLANTED[two] - PLANTED[one]))
            left, right = (one, two) if rng.random() < 0.5 else (two, one)
            answers.append((ITEMS[left], ITEMS[right], "left" if (left == one) == first else "right"))
        files.append(file_of(folder / f"{person}.json", str(person), answers=answers, items=ITEMS))
    return files


def test_files_of_made_up_voters_give_the_planted_order(rng, tmp_path):
    files = voters(rng, tmp_path)
    rows = study.item_scores(study.read_all(files))
    assert [row.item for row in rows] == list(ITEMS)
    assert [row.score for row in rows] == pytest.approx(PLANTED - PLANTED.mean(), abs=0.45)
    assert all(row.low < row.score < row.high for row in rows)
    assert np.isnan(rows[0].taken)
    # Beside what is simulated: the share of the model, within its interval.
    for row, planted in zip(rows[1:], PLANTED[1:], strict=True):
        assert row.taken_low <= 1.0 / (1.0 + np.exp(PLANTED[0] - planted)) <= row.taken_high
    told = CliRunner().invoke(cli, ["study", "--scores", *map(str, files)])
    assert told.exit_code == 0, told.output
    lines = told.output.splitlines()
    assert lines[0] == "12 people, 480 answers"
    assert [line.split("   ")[0].strip() for line in lines[2:]] == list(ITEMS)
    as_json = CliRunner().invoke(cli, ["study", "--scores", *map(str, files), "--json"])
    found = json.loads(as_json.output)
    assert found["people"] == 12
    assert found["items"][0]["taken"] is None


def test_a_share_has_wilsons_interval():
    share, low, high = study.wilson(8, 10)
    # Wilson (1927), as textbooks have it.
    assert (share, low, high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert study.wilson(0, 10)[1] == 0.0
    assert np.isnan(study.wilson(0, 0)).all()


def refused(message, *files):
    done = CliRunner().invoke(cli, ["study", "--scores", *map(str, files)])
    assert done.exit_code == 2
    assert message in done.output, done.output
    assert done.output.count("\n") == 1


def test_answers_that_cannot_be_scored_are_refused_in_a_sentence(tmp_path):
    good = file_of(tmp_path / "good.json", answers=[("simulated", "waves", "left"), ("waves", "simulated", "left")])
    refused("other.json: is of another study than", good, file_of(tmp_path / "other.json", "b", study="s2"))
    refused("half.json: 1 of 24 questions are answered: all must be", file_of(tmp_path / "half.json", asked=24))
    refused("holds the answers of the same person as", good, file_of(tmp_path / "twice.json"))
    refused("is no file of answers: its header is not", file_of(tmp_path / "old.json", header="pucker answers 0"))
    refused(
        "left or right was chosen, not 'both'",
        file_of(tmp_path / "both.json", answers=[("simulated", "waves", "both")]),
    )
    refused("the study has no item 'silk'", file_of(tmp_path / "silk.json", answers=[("silk", "waves", "left")]))
    refused("'waves' stands beside itself", file_of(tmp_path / "same.json", answers=[("waves", "waves", "left")]))
    refused("simulated was always chosen beside waves", file_of(tmp_path / "sure.json"))
    refused(
        "no answer shows draped: more answers are needed",
        file_of(tmp_path / "d.json", items=("simulated", "waves", "draped")),
    )
    refused(
        "nothing compares draped, silk with simulated",
        file_of(
            tmp_path / "apart.json",
            items=("simulated", "waves", "draped", "silk"),
            answers=[("simulated", "waves", side) for side in ("left", "right")]
            + [("draped", "silk", side) for side in ("left", "right")],
        ),
    )
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    refused("is no file of answers", tmp_path / "bytes.json")
    refused("is no file of answers", tmp_path / "nowhere.json")


# --- the page -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A resolved truth of a sleeve with a ripple."""
    clip = bending_sleeve(12, 18, frames=8)
    loop = byexample.LoopSubdivision(clip.mesh, 1)
    rest = loop.matrix @ clip.positions[0]
    edge = pucker.mean_edge_length(loop.fine, rest)
    lift = 0.01 * np.sin(2.0 * np.pi * rest[:, 1] / (8.0 * edge))[:, None]
    fine = [
        guide + lift * pucker.vertex_normals(loop.fine, guide) for guide in (loop.matrix @ p for p in clip.positions)
    ]
    truth = Truth.of_simulation(
        "sleeve", "sine", clip, fine, start=clip.positions[0], simulated_levels=1, levels=1, first=3, count=5,
        shortest=2.0 * edge, cutoffs=(3.0 * edge, 12.0 * edge),
    )  # fmt: skip
    good = Reproduced("finer", (0.99, 0.99, 0.99), (1.0, 1.0, 1.0))
    where = tmp_path_factory.mktemp("truths")
    dataclasses.replace(truth, reproduced=(good,)).save(where / "sleeve-sine.npz")
    return where


@pytest.fixture(scope="module")
def page(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.html"
    done = CliRunner().invoke(
        cli, ["study", str(folder), "-o", str(path), "--questions", "4", "--size", "160x120", "--json"]
    )
    assert done.exit_code == 0, done.output
    return path, json.loads(done.output)


def test_the_page_holds_every_video_once_and_asks_nothing_of_the_network(page):
    path, report = page
    text = path.read_text(encoding="utf-8")
    assert report == {"path": str(path), "bytes": path.stat().st_size, "videos": 4, "pairs": 6, "questions": 4}
    assert not re.search(r"""(?:src|href)=["']?https?:""", text)
    head = json.loads(re.search(r'id="head">(.*?)</script>', text)[1])
    assert head["items"] == ["simulated", "draped", "dynamic", "waves"]
    assert len(head["orders"]) == 16
    contents = [base64.b64decode(each) for each in re.findall(r'id="video\d+">(.*?)</script>', text)]
    assert len({bytes(each) for each in contents}) == len(contents) == 4
    for content in contents:
        assert content[4:8] == b"ftyp"
    # What was only there to go on is gone.
    assert not path.with_suffix(".videos").exists()


def test_a_study_that_was_interrupted_goes_on(folder, tmp_path):
    told = []

    def stop(name, count):
        told.append((name, count))
        if len(told) == 2:
            raise KeyboardInterrupt

    options = {"size": (64, 48), "questions": 2}
    with pytest.raises(KeyboardInterrupt):
        write_study(folder, tmp_path / "s.html", progress=stop, **options)
    assert not (tmp_path / "s.html").exists()
    again = []
    write_study(folder, tmp_path / "s.html", progress=lambda name, _: again.append(name), **options)
    assert told == [("sleeve-sine, simulated", 4), ("sleeve-sine, draped", 4)]
    assert again == ["sleeve-sine, dynamic", "sleeve-sine, waves"]
    once = (tmp_path / "s.html").read_bytes()
    write_study(folder, tmp_path / "t.html", **options)
    assert (tmp_path / "t.html").read_bytes() == once


def test_videos_differ_in_the_cloth_alone_and_run_to_and_fro(folder):
    truth = Truth.load(folder / "sleeve-sine.npz")
    films = Films(truth, (96, 72))
    simulated = list(films.simulated())
    waves = list(films.method(pucker.waves.Params()))
    films.close()
    assert len(simulated) == len(waves) == len(truth)
    corners = [each[:4, :4].reshape(-1, 3) for each in (simulated[0], waves[0])]
    assert np.array_equal(*corners)
    assert not np.array_equal(simulated[2], waves[2])
    shown = list(to_and_fro(iter("abcd")))
    assert shown == list("abcdcb")


def test_videos_have_the_light_of_other_pictures(folder):
    truth = Truth.load(folder / "sleeve-sine.npz")
    films = Films(truth, (96, 72))
    smooth = truth.clip.smoothed(max(facets_of(truth.clip).smooth, 1))
    shown = list(films.method(pucker.waves.Params()))
    films.close()
    with ClipRenderer(smooth, (96, 72), view=VIEW) as pictures:
        for index, state in enumerate(pucker.run(smooth, pucker.waves.Params())):
            if index == truth.first + 2:
                drawn = pictures.frame(index, state)
                break
    # But for the colour, which is the material's there and none here.
    cloth = (shown[2] != shown[2][0, 0]).any(axis=-1)
    assert cloth.sum() > 300
    assert np.corrcoef(drawn[cloth].mean(axis=1), shown[2][cloth].mean(axis=1))[0, 1] > 0.995


def test_a_study_that_cannot_be_is_refused(folder, tmp_path):
    truth = Truth.load(folder / "sleeve-sine.npz")
    (tmp_path / "none").mkdir()
    dataclasses.replace(truth, reproduced=()).save(tmp_path / "none" / "a.npz")
    with pytest.raises(ValueError, match="has no resolved truth, so that nothing simulated is there to be found"):
        write_study(tmp_path / "none", tmp_path / "s.html")
    with pytest.raises(ValueError, match=r"the page would have 0\.\d MB, more than 0\.01: take fewer scenes"):
        write_study(folder, tmp_path / "s.html", size=(64, 48), limit=10_000)
    for arguments, message in (
        (["study", str(folder)], "needs one FOLDER of truths and -o PAGE.html, or --scores"),
        (["study", "--scores", "a.json", "-o", "b.html"], "--scores reads answers and writes no page"),
        (["study", str(folder), "-o", "b.html", "--size", "63x48"], "a video must be even in width and height"),
        (["study", str(folder), "-o", "b.txt"], "must end in one of .html"),
    ):
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 2
        assert message in done.output


@pytest.mark.slow
def test_a_person_answers_all_questions_in_a_browser(page, tmp_path):
    path, _ = page
    with browser_page(accept_downloads=True) as opened:
        opened.open(path, "order=2")
        shown = opened.page
        shown.click("#start")
        shown.locator("html[data-playing='0']").wait_for(timeout=60000)
        # Both are videos that play.
        times = "() => [...document.querySelectorAll('#ask video')].map((v) => [v.readyState, v.videoWidth, v.error === null])"
        assert shown.evaluate(times) == [[4, 160, True]] * 2
        assert shown.inner_text("#progress") == "1 of 4"
        shown.keyboard.press("ArrowRight")
        shown.click("#left")
        shown.click("#back")
        assert shown.inner_text("#progress") == "2 of 4"
        # They show the same pose, however fast one has answered before.
        shown.locator("html[data-playing='1']").wait_for(timeout=60000)
        shown.wait_for_timeout(1500)
        apart = shown.evaluate(
            "() => { const [a, b] = [...document.querySelectorAll('#ask video')];"
            " const d = Math.abs(a.currentTime - b.currentTime); return [Math.min(d, a.duration - d), a.paused || b.paused]; }"
        )
        assert apart[0] < 0.2
        assert not apart[1]
        for _ in range(3):
            shown.click("#left")
        with shown.expect_download() as download:
            shown.click("#save")
        download.value.save_as(tmp_path / "answers.json")
        assert opened.complaints == []
        assert all(each.startswith(("file:", "blob:", "about:")) for each in opened.asked)
    found = study.read_answers(tmp_path / "answers.json")
    assert len(found.answers) == 4
    head = json.loads(re.search(r'id="head">(.*?)</script>', path.read_text())[1])
    told = json.loads((tmp_path / "answers.json").read_text())
    for (number, turned), one in zip(head["orders"][2], told["answers"], strict=True):
        items = head["pairs"][number]["items"]
        assert [one["left"], one["right"]] == (items[::-1] if turned else items)
    assert [one["chosen"] for one in told["answers"]] == ["right", "left", "left", "left"]
