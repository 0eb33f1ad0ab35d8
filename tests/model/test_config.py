import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.mechanisms.feedforward.gelu import Gelu
from oratory.mechanisms.feedforward.relu import Relu
from oratory.mechanisms.feedforward.swiglu import Swiglu
from oratory.mechanisms.merge.concat import Concat
from oratory.mechanisms.merge.reweight import Reweight
from oratory.mechanisms.merge.reweight_per_token import ReweightPerToken
from oratory.mechanisms.merge.shift import Shift
from oratory.mechanisms.merge.shuffle import Shuffle
from oratory.mechanisms.norm.layer import Layer
from oratory.mechanisms.norm.rms import Rms
from oratory.mechanisms.pattern.block import Block
from oratory.mechanisms.pattern.dilated import Dilated
from oratory.mechanisms.pattern.full import Full
from oratory.mechanisms.pattern.longformer import Longformer
from oratory.mechanisms.pattern.strided import Strided
from oratory.mechanisms.pattern.window import Window
from oratory.mechanisms.pool.attention import Attention
from oratory.mechanisms.pool.cls import Cls
from oratory.mechanisms.pool.last import Last
from oratory.mechanisms.pool.max import Max
from oratory.mechanisms.pool.mean import Mean
from oratory.mechanisms.position.alibi import Alibi
from oratory.mechanisms.position.alibi_rope import AlibiRope
from oratory.mechanisms.position.disentangled import Disentangled
from oratory.mechanisms.position.learned import Learned
from oratory.mechanisms.position.none import Absent
from oratory.mechanisms.position.rope import Rope
from oratory.mechanisms.position.sinusoidal import Sinusoidal
from oratory.mechanisms.position.t5 import T5
from oratory.model import ModelConfig, Transformer, count_parameters
from oratory.training.tasks import base

sizes = st.integers(1, 40)
bases = st.floats(1.0, 1e6)
switches = st.booleans()
turning = {"base": bases, "share": st.sampled_from([0.5, 1.0]), "layout": st.sampled_from(["half", "interleaved"])}
inside = {"hidden": st.none() | sizes, "bias": switches}
normed = {"place": st.sampled_from(["pre", "post"]), "eps": st.floats(1e-12, 1e-2)}
mechanisms: dict[str, st.SearchStrategy[Any]] = {
    "position": st.one_of(
        st.sampled_from([Learned(), Absent(), Alibi()]),
        st.builds(Sinusoidal, base=bases),
        st.builds(Rope, **turning),
        st.builds(AlibiRope, **turning),
        st.builds(Disentangled, span=sizes),
        st.builds(T5, buckets=st.integers(4, 40), reach=st.integers(41, 500)),
    ),
    "pattern": st.one_of(
        st.just(Full()),
        st.builds(Window, size=sizes),
        st.builds(Block, size=sizes),
        st.builds(Dilated, size=sizes, gap=sizes),
        st.builds(Longformer, size=sizes, global_tokens=st.integers(0, 4)),
        st.builds(Strided, stride=sizes),
    ),
    "merge": st.one_of(
        st.just(Concat()),
        st.builds(Shuffle, at_inference=switches),
        st.builds(Shift, places=st.integers(-3, 3), at_inference=switches),
        st.builds(Reweight, at_inference=switches),
        st.builds(ReweightPerToken, at_inference=switches),
    ),
    "pool": st.sampled_from([Mean(), Cls(), Max(), Last(), Attention()]),
    "norm": st.one_of(st.builds(Layer, **normed), st.builds(Rms, **normed)),
    "feedforward": st.one_of(
        st.builds(Relu, **inside),
        st.builds(Swiglu, **inside),
        st.builds(Gelu, **inside, form=st.sampled_from(["exact", "tanh"])),
    ),
}


@st.composite
def configs(draw: st.DrawFn) -> ModelConfig:
    groups, per_group, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3)), 4 * draw(st.integers(1, 3))
    heads = groups * per_group
    return ModelConfig(
        output=draw(st.sampled_from(["classes", "tokens", "vectors"])),
        causal=draw(switches),
        vocabulary=draw(st.integers(1, 10_000)),
        classes=draw(st.integers(2, 9)),
        layers=draw(sizes),
        heads=heads,
        kv_heads=draw(st.sampled_from([None, groups])),
        width=heads * columns,
        head_size=draw(st.sampled_from([None, 8])),
        context=draw(sizes),
        dropout=draw(st.floats(0, 0.99)),
        init=draw(st.sampled_from(["torch", "gpt2"])),
        qkv_bias=draw(switches),
        out_bias=draw(switches),
        tied=draw(switches),
        head_bias=draw(switches),
        head_hidden=draw(st.none() | sizes),
        token_types=draw(st.integers(0, 3)),
        embedding_norm=draw(switches),
        **{kind: draw(choice) for kind, choice in mechanisms.items()},
    )


def test_base_classifier_has_the_parameters_of_the_reference() -> None:
    found = count_parameters(Transformer(base("classifier", 5755, classes=3)))
    assert found.total == 576_467
    assert found.components == {
        "token embedding": 5755 * 64,
        "positions": 32 * 64,
        "attention": 4 * (4 * 64 * 64 + 64),
        "feed-forward": 4 * (64 * 256 + 256 + 256 * 64 + 64),
        "norms": 9 * 2 * 64,
        "head": 64 * 100 + 100 + 100 * 3 + 3,
    }


def test_base_language_model_has_the_parameters_of_the_reference() -> None:
    found = count_parameters(Transformer(base("lm", 5755)))
    assert found.total == 863_243
    assert found.components == {
        "token embedding": 5755 * 64,
        "positions": 32 * 64,
        "attention": 4 * (4 * 64 * 64 + 64),
        "feed-forward": 4 * (64 * 100 + 100 + 100 * 64 + 64),
        "norms": 9 * 2 * 64,
        "head": 64 * 5755 + 5755,
    }


def test_the_breakdown_is_a_table_and_a_record() -> None:
    changes: dict[str, Any] = {"pool": "attention", "token_types": 2, "embedding_norm": True}
    found = count_parameters(Transformer(base("classifier", 50, classes=2, **changes)))
    assert found.components["token types"] == 2 * 64
    assert found.components["pool"] == 64
    assert found.components["norms"] == 10 * 2 * 64
    assert sum(found.components.values()) == found.total
    assert found.to_dict() == {"total": found.total, "components": found.components}
    (table,) = found.tables()
    assert [row[0] for row in table.rows] == [*found.components, "total"]


@settings(deadline=None, max_examples=60)
@given(configs())
def test_a_configuration_round_trips_through_json_and_text(config: ModelConfig) -> None:
    values = json.loads(json.dumps(config.to_dict()))
    assert ModelConfig.from_dict(values) == config
    assert ModelConfig.from_dict({name: str(value) for name, value in values.items()}) == config
    assert ModelConfig.from_dict(config.to_dict()).to_dict() == config.to_dict()
    assert hash(config) == hash(ModelConfig.from_dict(values))


def test_values_may_be_text_as_on_the_command_line() -> None:
    config = base(
        "lm",
        100,
        layers="3",
        dropout="0.1",
        tied="on",
        head_bias="off",
        kv_heads="none",
        head_hidden="none",
        head_size="16",
        position="rope(base=500,layout=interleaved)",
        pattern="window(size=4)",
    )
    assert (config.layers, config.dropout, config.tied, config.head_bias) == (3, 0.1, True, False)
    assert (config.kv_heads, config.head_hidden, config.head_size) == (None, None, 16)
    assert config.position == Rope(base=500.0, layout="interleaved")
    assert config.pattern == Window(size=4)
    assert config.feedforward == Relu(hidden=100)
    assert base("lm", 100, feedforward="gelu").feedforward == Gelu()


def test_what_follows_from_a_configuration() -> None:
    config = base("lm", 100, width=48, heads=6, kv_heads=2)
    assert (config.causal, config.groups, config.columns) == (True, 2, 8)
    assert base("classifier", 100, 2, head_size=5).columns == 5
    assert not base("encoder", 100).causal
    assert config.shape(seed=7).seed == 7


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widht": 64}, "no setting 'widht'. Did you mean 'width'"),
        ({"position": "roppe"}, "no position 'roppe'. Did you mean 'rope'"),
        ({"pattern": "windows"}, "no pattern 'windows'. Did you mean 'window'"),
        ({"pattern": "window(width=3)"}, "no parameter of window 'width'"),
        ({"merge": "shufle"}, "Did you mean 'shuffle'"),
        ({"pool": "men"}, "Did you mean 'mean'"),
        ({"norm": "rmsnorm"}, "Did you mean 'rms'"),
        ({"norm": "layer(place=before)"}, "no place of a norm 'before'"),
        ({"norm": "rms(eps=-1)"}, "eps"),
        ({"feedforward": "geluu"}, "Did you mean 'gelu'"),
        ({"feedforward": "gelu(form=than)"}, "Did you mean 'tanh'"),
        ({"feedforward": "relu(hidden=0)"}, "hidden width of at least 1, not 0"),
        ({"output": "class"}, "no output 'class'. Did you mean 'classes'"),
        ({"init": "gpt"}, "no init 'gpt'. Did you mean 'gpt2'"),
        ({"classes": 1}, "classes=1: a classifier needs at least 2"),
        ({"classes": 0}, "classes=0"),
        ({"vocabulary": 0}, "vocabulary=0: it must be at least 1"),
        ({"layers": 0}, "layers=0: it must be at least 1"),
        ({"heads": 0}, "heads=0: it must be at least 1"),
        ({"width": -64}, "width=-64: it must be at least 1"),
        ({"context": 0}, "context=0: it must be at least 1"),
        ({"layers": "four"}, "layers: 'four' is not a whole number"),
        ({"width": "64.5"}, "width: '64.5' is not a whole number"),
        ({"tied": "perhaps"}, "tied: 'perhaps' is neither on nor off"),
        ({"width": 64, "heads": 3}, "width=64 cannot be shared out among heads=3"),
        ({"heads": 4, "kv_heads": 3}, "kv_heads=3 does not divide heads=4"),
        ({"heads": 2, "kv_heads": 4}, "kv_heads=4 does not divide heads=2"),
        ({"kv_heads": 0}, "kv_heads=0: it must be at least 1"),
        ({"kv_heads": -1}, "kv_heads=-1: it must be at least 1"),
        ({"head_size": 0}, "head_size=0: it must be at least 1"),
        ({"head_hidden": 0}, "head_hidden=0: it must be at least 1"),
        ({"token_types": -1}, "token_types=-1: it must be at least 0"),
        ({"dropout": 1.0}, "dropout=1.0: it must be at least 0 and below 1"),
        ({"dropout": -0.1}, "dropout=-0.1"),
        ({"dropout": "nan"}, "dropout=nan"),
        ({"position": "rope", "width": 6}, "3 of the 3 columns of a head would turn"),
        ({"position": "alibi-rope", "head_size": 5}, "5 of the 5 columns"),
        ({"position": "sinusoidal", "width": 7, "heads": 1}, "even width, not 7"),
        ({"position": "t5(buckets=3)"}, "at least 4 buckets"),
        ({"position": "t5(buckets=32,reach=16)"}, "a reach beyond them"),
        ({"position": "disentangled(span=0)"}, "span must be at least 1"),
        ({"pattern": "window(size=0)"}, "size 1"),
        ({"pattern": "strided(stride=0)"}, "stride must be at least 1"),
    ],
)
def test_a_bad_value_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    values = {"output": "classes", "vocabulary": 100, "classes": 3} | changes
    with pytest.raises(InputError, match=re.escape(message)):
        ModelConfig.from_dict(values)


def test_a_decoder_may_have_fewer_buckets_than_an_encoder() -> None:
    assert base("lm", 10, position="t5(buckets=2)").position == T5(buckets=2)


@pytest.mark.parametrize("missing", ["output", "vocabulary"])
def test_what_a_record_lacks_is_named(missing: str) -> None:
    values: dict[str, Any] = {"output": "tokens", "vocabulary": 100}
    del values[missing]
    with pytest.raises(InputError, match=missing):
        ModelConfig.from_dict(values)


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        base("lm", 10).width = 3  # type: ignore[misc]
