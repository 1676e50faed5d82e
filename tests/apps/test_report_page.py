"""The page of an audit report: it says what the record says, escaped, in good order, and needs nothing else."""

from __future__ import annotations

import copy
import itertools
import re

import pytest

from apps import audit_records as records
from apps.audit_dom import Element, read
from primewood.apps.report.page import SECTIONS, render_page, render_style
from primewood.apps.report.page.limits import list_alarms, list_limits
from primewood.apps.report.page.words import (
    WHO,
    count_explanations,
    format_percent,
    join_names,
    name_rows,
    summarise,
)
from primewood.render import text
from primewood.render.html.environment import style
from primewood.render.numbers import format_count
from render.card_records import unquoted
from render.snapshot import check_snapshot

ASKED = {"fails": "yes, shown", "holds": "no, proved", "undecided": "undecided"}


@pytest.fixture(params=records.MADE)
def record(request):
    return records.MADE[request.param]()


def section(record, name: str) -> Element:
    return read(render_page(record)).one("section", id=name)


def condition(literal) -> str:
    """A condition as it stands in a sentence of the page."""
    name, pieces = literal["feature"], [unquoted(literal["text"], literal["feature"])]
    if "intervals" in literal:
        bare = [unquoted(piece, name).replace(name, "\0") for piece in literal["shown"]]
        pieces = [piece.replace("<=", "≤").replace(">=", "≥").replace("\0", name) for piece in bare]
    more = f", and {len(pieces) - 3} more" if len(pieces) > 3 else ""
    return " or ".join(pieces[:3]) + more


def moves(changes) -> list[str]:
    return [f"{feature} {old} → {new}" for feature, (old, new) in changes.items()]


def test_a_page_is_one_file_without_scripts_that_loads_nothing(record):
    page = render_page(record)
    document = read(page)
    assert not {one.tag for one in document} & {"script", "link", "img", "iframe", "object", "form"}
    assert not any(name.startswith("on") for one in document for name in one.attributes)
    ids = [one.attributes["id"] for one in document if "id" in one.attributes]
    links = [one.attributes[name] for one in document for name in ("href", "src") if name in one.attributes]
    assert len(ids) == len(set(ids))
    assert links and all(link.startswith("#") and link[1:] in ids for link in links)
    assert "url(" not in page and "@import" not in page and "//" not in page
    (policy,) = document.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy.attributes["content"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert len(page) < 2_000_000


def test_a_page_can_be_read_by_its_structure(record):
    document = read(render_page(record))
    levels = [int(one.tag[1]) for one in document if re.fullmatch("h[1-6]", one.tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    for table in document.all("table"):
        assert table.one("caption").text
    assert all(one.attributes["scope"] in ("row", "col") for one in document.all("th"))
    for picture in document.all("svg"):
        hidden = picture.attributes.get("aria-hidden") == "true"
        assert hidden or (picture.attributes["role"] == "img" and picture.attributes["aria-label"])
    contents = [link.attributes["href"] for link in document.one("nav").all("a")]
    assert contents == [f"#{anchor}" for anchor in ("at-a-glance", *SECTIONS)]
    assert [one.attributes["id"] for one in document.all("section")] == ["at-a-glance", *SECTIONS]


def test_names_cannot_break_out_of_the_page():
    record = records.odd_names()
    page = render_page(record)
    document = read(page)
    assert "<script" not in page and "<u>" not in page and "<i>" not in page
    assert document.one("h1").text == document.one("title").text == record["title"]
    assert {row[0] for row in document.one("section", id="features").rows()[1:]} == {
        *record["model"]["tested"]
    }
    assert "{{ 7 * 7 }}" in page


def test_the_summary_is_on_top_with_what_was_not_proved(record):
    shown = section(record, "at-a-glance")
    found, open_ = ([one.text for one in part.all("li")] for part in shown.all("ul"))
    assert found == summarise(record)
    assert "does not say whether the decisions are right, fair or lawful" in open_[0]
    assert open_[1:] == list_limits(record)


def test_the_model_is_told(record):
    model = record["model"]
    facts, features = section(record, "model").all("table")
    told = dict(facts.rows())
    assert told["Digest"] == model["digest"]
    assert told["Trees"].startswith(
        f"{model['trees']:,}, depth at most {model['depth']}, {model['leaves']:,}"
    )
    assert told["Features"] == f"{len(model['tested'])} of {len(model['scales'])} are tested by some tree"
    finely = {row[0]: row[2] for row in features.rows()[1:]}
    assert finely == {
        one["feature"]: format_count(model["tested"][one["feature"]], "value")
        if one["tested"]
        else "not tested"
        for one in model["scales"]
    }


def test_the_rows_and_their_decisions_are_told(record):
    rows, shown = record["rows"], section(record, "rows")
    if rows["source"] == "none":
        assert "No rows were given" in shown.text
        return
    assert f"The report is about {rows['rows']:,} {name_rows(rows['source'])}" in shown.text
    whole = rows["decided"] - rows["outside"]
    assert shown.rows()[1:] == [
        [str(one["decision"]), f"{one['rows']:,}", "", text.write_share(one["rows"] / whole)]
        for one in rows["decisions"]
    ]


def phrase(literal):
    """A condition inside a sentence: in parentheses if it has an "or"."""
    words = condition(literal)
    return f"({words})" if " or " in words else words


def test_every_explained_decision_is_told(record):
    shown = section(record, "cases").all(style="pw-case")
    items = record["cases"]["items"]
    assert [one.one("h3").text for one in shown] == [f"Row {item['label']}" for item in items]
    for one, item in zip(shown, items, strict=True):
        if item["problem"] is not None:
            assert item["problem"] in one.text
            continue
        assert one.one("h4").text == str(item["why"]["decision"])
        said = one.all("p", "pw-muted")[0].text
        assert said.endswith(f"{item['score']['what']} {item['score']['value']:.6g}.")
        conditions = one.all("ul", "pw-tracks")[0].all(style="pw-words") if item["why"]["literals"] else []
        told = [condition(x) for x in item["why"]["literals"]]
        assert [words.text for words in conditions] == told[:12]
        assert all(words in one.text for words in told)
        whole = ", ".join(f"{entry['feature']} = {entry['shown']}" for entry in item["why"]["instance"])
        assert one.one("details", "pw-whole").one("p").text == " ".join(whole.split())


def test_the_ways_out_of_a_decision_are_told(record):
    items = [item for item in record["cases"]["items"] if item["problem"] is None]
    for one, item in zip(section(record, "cases").all("dl", "pw-ways"), items, strict=True):
        ways = one.all("div")
        for way, found in zip(ways, (item["fewest"], item["nearest"]), strict=True):
            assert [move.text for move in way.all("span", "pw-move")] == moves(found["changes"])
            assert way.one("dt").text.startswith(f"Row {item['label']}: the ")
        fewest, nearest = ([cell.text for cell in way.all("dd")] for way in ways)
        if item["fewest"]["changes"]:
            proof = "proved: no fewer are enough" if item["fewest"]["fewest"] else "perhaps fewer are enough"
            assert fewest[1] == f"{item['fewest']['other']}{proof}"
        if item["nearest"]["row"] is not None:
            changed = [x for x in item["nearest"]["box"] if x["feature"] in item["nearest"]["changes"]]
            proved = item["nearest"]["status"] == "proved"
            proof = "proved: none is nearer" if proved else "perhaps another one is nearer"
            safe = f"; the decision stays so while {' and '.join(map(phrase, changed))}, everything else unchanged"
            assert nearest[1] == f"{item['nearest']['other']}{proof}{safe if changed else ''}"


def test_feature_use_has_the_numbers_of_the_record(record):
    found, shown = record["features"], section(record, "features")
    if not found["sampled"]:
        assert "There are no rows to count over" in shown.text
        return
    assert shown.rows()[1:] == [
        [one["feature"], f"{one['explanations']:,}", "", f"{one['alone']:,}", ""] for one in found["items"]
    ]
    sizes = ", ".join(f"{size} in {count_explanations(count)}" for size, count in found["sizes"].items())
    assert shown.text.endswith(f"Conditions per explanation: {sizes}.")
    assert (f"(on {found['alone_rows']} rows, within the time limit)" in shown.text) == (
        found["alone_rows"] < found["sampled"]
    )


def test_feature_use_says_over_what_it_is_counted(record):
    found, shown = record["features"], section(record, "features").text
    assert ("explanations in the batch" in shown) == (found["source"] == "batch")
    assert (f"Two counts over a sample of {format_count(found['sampled'], 'row')}" in shown) == (
        found["source"] == "sample" and found["sampled"] > 0
    )


def test_feature_use_of_a_batch_tells_what_is_in_it():
    record = records.of_batch()
    shown = section(record, "features").text
    assert "over the 12,345 explanations in the batch, says how many of them mention a feature. The" in shown
    assert "The batch is not finished: these are the explanations so far." in shown
    assert "5 of its 12,350 rows could not be explained" in shown
    assert "2,000 of its rows took over the explanation of another row" in shown
    assert "over a sample of 6 rows of the report" in shown
    told = " ".join(list_limits(record))
    assert "Feature use was counted over explanations that were made before" in told
    assert "not finished: feature use was counted over the 12,350 rows so far" in told
    assert "Feature use leaves out 5 of 12,350 rows of the batch" in told
    assert "5 of the counted explanations may mention more features than needed" in told


def test_rules_have_the_numbers_of_the_record(record):
    rules, shown = record["rules"], section(record, "rules")
    if rules["absent"] is not None:
        assert rules["absent"] in shown.text
        return
    listed = shown.one("ol").all("li")
    for place, (one, rule) in enumerate(zip(listed, rules["rules"], strict=True), 1):
        conditions = " and ".join(phrase(literal) for literal in rule["literals"])
        assert one.one("p").text == f"{rule['decision']} {f'if {conditions}' if conditions else 'always'}"
        said = one.one("small").text
        covered = f"covers {rule['covers']:,} of {rules['counted']:,} {name_rows(record['rows']['source'])}"
        assert said.startswith(covered)
        so_far = text.write_share(rules["curve"][place])
        assert f"; {rule['new_rows']:,} by no rule before, so that {so_far} are covered so far" in said
        assert ("perhaps it can be widened" in said) == (rule["status"] != "proved")
    assert shown.rows()[1:] == [
        [str(one["decision"]), *(f"{one[key]:,}" for key in ("rows", "covered", "uncovered"))]
        for one in rules["decisions"]
    ]
    left = rules["counted"] - rules["covered"]
    named = f"{left:,} of {rules['counted']:,} are covered by no rule, for example row "
    assert (f"{named}{', '.join(map(str, rules['uncovered']))}." in shown.text) == (left > 0)


def test_the_coverage_curve_is_drawn_as_it_is(record):
    rules = record["rules"]
    if rules["absent"] is not None or not rules["rules"]:
        return
    shown = section(record, "rules")
    curves = {"all rows": rules["curve"]}
    if len(rules["decisions"]) <= 4:
        curves |= {str(one["decision"]): one["curve"] for one in rules["decisions"]}
    drawn = [line.attributes["points"].split() for line in shown.all("polyline")]
    assert len(drawn) == len(curves)
    for points, shares in zip(drawn, curves.values(), strict=True):
        heights = [1 - float(point.split(",")[1]) / 100 for point in points]
        assert heights == pytest.approx(shares, abs=1e-4)
    legend = [one.text for one in shown.one("ul", "pw-legend").all("li")]
    assert legend == [
        f"{name}: {text.write_share(shares[-1])} with {format_count(len(shares) - 1, 'rule')}"
        for name, shares in curves.items()
    ]


def test_stated_properties_are_told_with_the_rows_that_show_them():
    record = records.stated()
    shown = section(record, "properties")
    items = record["properties"]["items"]
    assert {item["outcome"] for item in items} == {"holds", "fails", "undecided"}
    assert shown.all("table")[0].rows()[1:] == [[item["property"], item["outcome"]] for item in items]
    for one, item in zip(shown.all(style="pw-property"), items, strict=True):
        assert one.one("h3").text == item["property"]
        assert one.one(style="pw-outcome").text == item["outcome"]
        assert item["note"][1:] in one.text and item["words"] in one.text
        assert (item["breaking"]["text"][1:] in one.text) if item["breaking"] else True
        if not item["shown"]:
            assert not one.all("table")
            continue
        rows = list(reversed(item["shown"])) if item["kind"] == "decreasing" else item["shown"]
        decisions = list(reversed(item["decisions"])) if item["kind"] == "decreasing" else item["decisions"]
        told = [f"output {x:.4g}" if isinstance(x, float) else x for x in decisions]
        head, *cells = one.one("table").rows()
        assert head == ["Feature", *told]
        differ = item["differ_in"]
        assert cells == [
            [f"{name} (differs)" if name in differ else name, *(row[name] for row in rows)]
            for name in rows[0]
        ]
        assert [mark.text for mark in one.all("mark")] == [row[name] for name in differ for row in rows]


@pytest.mark.parametrize("name", [name for name in records.MADE if name != "stated"])
def test_what_features_do_alone_is_told_with_pairs_of_rows(name):
    record = records.MADE[name]()
    found, shown = record["properties"], section(record, "properties")
    assert "No properties were stated." in shown.text
    kinds = ["independent", "increasing", "decreasing"] if found["ordered"] else ["independent"]
    asked = {(item["features"][0], item["kind"]): item for item in found["items"]}
    features = list(dict.fromkeys(item["features"][0] for item in found["items"]))
    answers, pairs = (shown.all("table")[k].rows()[1:] for k in (0, 1))
    assert answers == [
        [
            name,
            *(
                ASKED[asked[name, kind]["outcome"]] if (name, kind) in asked else "it has no order"
                for kind in kinds
            ),
        ]
        for name in features
    ]
    told = {}
    for name in features:
        for kind in kinds:
            item = asked.get((name, kind))
            if item is not None and item["shown"]:
                told.setdefault(name, []).append(pair(item, name))
    rows = shown.all("table")[1].all("tr")[1:]
    assert [row[0] for row in pairs] == list(told)
    assert [[one.one("p", "pw-said").text for one in row.all(style="pw-pair")] for row in rows] == list(
        told.values()
    )


def pair(item, name: str) -> str:
    """What a pair of rows shows, as it stands on the page."""
    rows = list(zip(item["shown"], item["decisions"], strict=True))
    if item["kind"] == "decreasing":
        rows.reverse()
    (first, before), (second, after) = rows
    if item["kind"] == "independent":
        return f"{before} with {first[name]}, {after} with {second[name]}"
    return f"raised from {first[name]} to {second[name]}, {before} becomes {after}"


def test_the_rest_of_a_pair_of_rows_is_folded_away():
    record = records.small()
    rests = [one.one("p").text for one in section(record, "properties").all("details")]
    items = [item for item in record["properties"]["items"] if item["shown"]]
    assert len(rests) == len(items)
    expected = {
        ", ".join(
            f"{name} = {value}" for name, value in item["shown"][0].items() if name not in item["differ_in"]
        )
        for item in items
    }
    assert {*rests} == expected


def test_robustness_has_the_numbers_of_the_record(record):
    found, shown = record["robustness"], section(record, "robustness")
    if found["absent"] is not None:
        assert found["absent"] in shown.text
        return
    assert f"For {format_count(found['measured'], 'row')} drawn at random" in shown.text
    *bars, least = shown.all("table")
    edges, counts = found["histogram"]["edges"], found["histogram"]["counts"]
    assert [[float(x.rstrip("%")) for x in row] for row in bars[0].rows()[1:]] == [
        [pytest.approx(100 * low), pytest.approx(100 * high), count]
        for (low, high), count in zip(itertools.pairwise(edges), counts, strict=True)
    ]
    heights = [
        float(one.attributes["height"].rstrip("%")) for one in shown.one("svg", "pw-chart").all("rect")
    ]
    assert heights == pytest.approx([86 * count / max(counts) for count in counts], abs=0.01)
    for row, one in zip(least.all("tr")[1:], found["least_robust"], strict=True):
        cells = [cell.text for cell in row if cell.tag in ("th", "td")]
        assert cells[:3] == [f"Row {one['label']}", str(one["decision"]), format_percent(one["radius"])]
        assert float(cells[2].rstrip("%")) / 100 <= one["radius"] * (1 + 1e-12)
        many = format_count(len(one["nearest"]["changes"]), "feature moves", "features move")
        assert cells[3].startswith(f"{one['nearest']['decision']}, when {many}")
        assert [move.text for move in row.all("span", "pw-move")] == moves(one["nearest"]["changes"])


def test_assumptions_are_told_once_for_all(record):
    told = [one.text for one in section(record, "limits").all("li")]
    assert told[:-1] == [
        *record["model"]["assumptions"],
        *record["model"]["constraints"],
        *list_limits(record),
    ]
    for item in record["cases"]["items"] if record["model"]["assumptions"] else []:
        assert item["problem"] or item["why"]["assumptions"] == record["model"]["assumptions"]
        assert not any(words in section(record, "cases").text for words in record["model"]["assumptions"])


def test_settings_versions_and_digests_are_told(record):
    made = record["made"]
    when, digests, settings = (dict(table.rows()) for table in section(record, "made").all("table"))
    assert when["Date"] == made["date"]
    assert {name: when[name] for name in made["versions"]} == made["versions"]
    assert [*digests.values()] == [words for words in made["digests"].values() if words is not None]
    assert {*settings} == {*made["settings"]}
    assert settings["seed"] == str(made["settings"]["seed"])
    assert settings["work_limit"] == str(made["settings"]["work_limit"])
    for stated in made["settings"]["properties"]:
        assert stated in settings["properties"]


def test_words_that_are_used_are_explained():
    shown = section(records.small(), "words")
    told = ", ".join(one.text for one in shown.all("dt")).lower()
    for word in ("decision", "explanation", "prime", "witness", "coverage", "holds", "fails", "undecided"):
        assert word in told
    assert "stopped early" in told and "radius" in told
    assert len(shown.all("dd")) == len(shown.all("dt"))


def test_evidence_that_the_model_decides_otherwise_is_an_alarm():
    record = copy.deepcopy(records.small())
    assert list_alarms(record) == []
    record["confirmation"]["agree"] -= 1
    (alarm,) = list_alarms(record)
    shown = section(record, "at-a-glance")
    assert shown.one("p", "pw-alarm").text == f"Warning: {alarm}"
    assert "Do not rely on this report" in alarm and "and decided as shown" not in shown.text


def test_limits_name_what_was_not_done():
    record = records.stopped()
    early = format_count(record["cases"]["statuses"]["interrupted"], "explanation was", "explanations were")
    assert any(line.startswith(f"{early} stopped early") for line in list_limits(record))
    assert "There were no rows" in " ".join(list_limits(records.no_rows()))
    words = " ".join(list_limits(records.stated()))
    assert "Neither proved nor broken within the time limit: “independent of housing”." in words
    assert "1 row is not possible under the assumptions" in words


def test_sentences_about_one_row_are_singular():
    record = copy.deepcopy(records.small())
    record["confirmation"]["agree"] = record["confirmation"]["rows"] - 1
    record["cases"]["items"][0]["problem"] = "it cannot be read"
    record["rules"].update(counted=10, covered=9, absent=None)
    told = " ".join([*list_alarms(record), *list_limits(record)])
    assert (
        f"a different decision from {WHO[record['confirmation']['by']]}: 1 of {record['confirmation']['rows']}."
        in told
    )
    assert "Rows that were asked for and cannot be explained: 1." in told
    assert "Rows that match no rule: 1 of 10." in told
    record["confirmation"].update(rows=1, agree=1)
    assert any(line.endswith("and decided as shown (1 row).") for line in summarise(record))
    assert not re.search(
        r"\b1 row( of [\d,]+)? (that )?(were|serve|match|are)\b", f"{told} {summarise(record)}"
    )


def test_shares_are_never_rounded_up_and_lists_are_short():
    shares = (0.0, 0.0099999, 0.123456, 0.99999, 2e-9)
    assert [format_percent(x) for x in shares] == ["0%", "0.999%", "12.3%", "99.9%", "0.0000002%"]
    assert join_names(range(10)) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 others"


def test_a_small_report_stays_as_it_is():
    page, made = render_page(records.small()), records.small()["made"]
    for name, version in made["versions"].items():
        row = '<th scope="row">{}</th><td>{}</td>'
        page = page.replace(row.format(name, version), row.format(name, "VERSION"))
    page = page.replace(f"primewood {made['versions']['primewood']} for", "primewood VERSION for")
    page = re.sub(
        r'(<th scope="row">Seconds</th><td>)[^<]*', r"\1SECONDS", page.replace(made["date"], "DATE")
    )
    # Styles have snapshots of their own: the cards', and this one.
    check_snapshot("audit.html", page.replace(style(), "").replace(render_style(), ""))
    check_snapshot("audit.css", render_style())
