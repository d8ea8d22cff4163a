"""What the name of a part says of what it is made of, and that of a clip of what it shows."""

import re
from collections.abc import Collection
from typing import Final

# Each stands alone, as a word in CamelCase, or between what is no letter.
_SKIN: Final = "skin|face|heads?|neck|hands?|foot|feet"
_BODY: Final = (
    "skin|face|eyes?|eyebrows?|brows?|eyelash(?:es)?|lash(?:es)?|eyelids?|eye(?:line|liner|ball|base|white)s?|iris|cornea|sclera|"
    "pupils?|hair|bangs|ponytail|braids?|beard|mo?ustache|heads?|cheeks?|neck|hands?|fists?|palms?|fingers?|thumbs?|index|ring\\d+|pinky|"
    "foot|feet|toes?|shoes?|boots?|footwear|sneakers?|sandals?|heels?|teeth|tooth|tongue|gums?|lips?|mouth|jaw|nose|ears?|nails?|"
    "fur|tail|paws?|claws?|wings?|horns?"
)
_HARD: Final = (
    "armou?r|helmets?|helm|metal|steel|iron|gold|golden|silver|bronze|brass|copper|chrome|weapons?|swords?|blades?|katana|"
    "knife|daggers?|axes?|guns?|rifles?|pistols?|bow|arrows?|quiver|shields?|visors?|goggles|glass|glasses|lens|lenses|plates?|"
    "buckles?|buttons?|zippers?|zip|jewel|jewels|jewell?ery|earrings?|necklace|rings?|chains?|crown|mask|wood|plastic|rubber|"
    "shell|backpack|bags?|pouch(?:es)?|holsters?|pads?|shoulderpads?|kneepads?|gloves?|hats?|cap|headwear|headgear|headphones?|eyewear|joints?|bolts?|wires?"
)
_SHIRT: Final = "(?:t-?|sweat|under|night|polo)?shirts?"
_SKIRT: Final = "(?:mini|over|under)?skirts?"
_COAT: Final = "(?:lab|over|rain|trench|great|frock|waist|petti)?coats?"
_PANTS: Final = "(?:sweat|track|under|yoga)?pants?"
_SUIT: Final = "(?:space|swim|body|jump|track|wet)?suit"
_CLOTH: Final = (
    f"cloth|clothes|clothing|{_SHIRT}|blouse|dress|{_SKIRT}|capes?|cloaks?|{_COAT}|jackets?|robes?|gown|{_PANTS}|trousers?|"
    "jeans|shorts|leggings?|sleeves?|hood|hoodie|sweaters?|jumper|tunic|kimono|yukata|hakama|scarf|vest|"
    f"{_SUIT}|bikini|uniform|outfit|costume|garments?|apron|sari|toga|fabric|cotton|silk|wool|linen|denim|velvet|"
    "curtains?|flags?|tops?|bottoms?|onepiece|stockings?|socks?|tights|underwear|wear|band|sash|obi|tie|veil|poncho|shawl|"
    "overalls?|dungarees|collar|cuffs?|handkerchief|headband|bandana"
)
# A body that wears all of this is bare under it: either a garment of above and one of below, or one of the whole figure. In games a
# body is often dressed itself.
_TRUNK: Final = "body(?:mat|mesh)?"
_ABOVE: Final = f"tops?|{_SHIRT}|blouse|jackets?|{_COAT}|hoodie|sweaters?|jumper|vest|tunic"
_BELOW: Final = f"bottoms?|{_SKIRT}|{_PANTS}|trousers?|jeans|shorts|leggings?|hakama"
_ALL_OVER: Final = (
    f"dress|robes?|gown|{_SUIT}|onepiece|overalls?|dungarees|kimono|yukata|toga|sari|clothes|clothing|garments?"
)
# As characters from Japan have them, where words stand without spaces. Of a name with words of two kinds, such as socks, which
# are written "below the shoe", cloth is meant.
_SKIN_IN_JAPANESE: Final = "肌|皮膚|顔|素足|(?<![手足])首"
_BODY_IN_JAPANESE: Final = f"{_SKIN_IN_JAPANESE}|体|ボディ|目|瞳|眉|睫|まつげ|まゆ|髪|ヘア|頭|口|歯|舌|唇|鼻|耳|手|指|爪|つま先|足首|靴|ブーツ|尻尾|しっぽ|翼"
_HARD_IN_JAPANESE: Final = "鎧|兜|金属|武器|剣|刀|盾|眼鏡|メガネ|ボタン|帽子|仮面|鎖"
_CLOTH_IN_JAPANESE: Final = (
    "服|衣|布|着物|袴|帯|袖|裾|襟|下着|水着|靴下|シャツ|ブラウス|スカート|ズボン|パンツ|ドレス|ワンピース|ジャケット|コート|マント|"
    "セーター|ベスト|パーカー|エプロン|スカーフ|マフラー|ネクタイ|ソックス|タイツ|ストッキング"
)
# Of joints: what tells that they are of which limb, and what hangs on a head.
_LIMBS: Final = {
    "head": "heads?|face|neck|hair|eyes?|jaw",
    "hand": "hands?|fists?|palms?|fingers?|thumbs?|pinky|wrists?",
    "foot": "foot|feet|toes?|ankles?",
}
_LIMBS_IN_JAPANESE: Final = {"head": "頭|顔|髪|目|(?<![手足])首", "hand": "手|指", "foot": "足首|つま先"}
# Clips in which a character does what cloth is seldom seen in.
_UNUSUAL: Final = (
    "roll|rolls|death|dead|die|dies|dying|defeat|jumps?|land|landing|fall|falling|swim|swimming|crawl|crouch|duck|flip|knockdown|"
    "hit|hitreact|hitrecieve|hitreceive|impact|dash|dodge|dodges|dodging|slide|climb|grab|lie|lies|lying|laying|sleep|sleeping|prone"
)
_FINGERS: Final = "fingers?|thumbs?|index|middle\\d+|ring\\d+|pinky"
_ON_HEAD: Final = "hair|bangs?|ponytail|eyes?|eyelids?|eyebrows?|brows?|jaw|teeth|tongue|lips?|mouth|nose|beard"


def _words(words: str, japanese: str = "") -> re.Pattern[str]:
    english = rf"(?<![a-z])(?:{words})(?![a-z])"
    return re.compile(f"{english}|{japanese}" if japanese else english)


_OF_SKIN = _words(_SKIN, _SKIN_IN_JAPANESE)
_OF_BODY = _words(_BODY, _BODY_IN_JAPANESE)
_OF_HARD = _words(_HARD, _HARD_IN_JAPANESE)
_OF_CLOTH = _words(_CLOTH, _CLOTH_IN_JAPANESE)
_OF_CLOTH_IN_JAPANESE = re.compile(_CLOTH_IN_JAPANESE)
_OF_LIMBS = {limb: _words(words, _LIMBS_IN_JAPANESE[limb]) for limb, words in _LIMBS.items()}
_HANGS_ON_HEAD = _words(_ON_HEAD)
_OF_FINGERS = _words(_FINGERS)
_OF_HIPS = _words("hips|pelvis", "腰|下半身")
_PLACES = _words("tops?|bottoms?")
# Of materials the hard joints of robots and dummies; many programs name all joints of a skeleton so.
_JOINTS = _words("joints?")
_IS_UNUSUAL = _words(_UNUSUAL)
_OF_TRUNK = _words(_TRUNK)
_DRESSES = (_words(_ABOVE), _words(_BELOW), _words(_ALL_OVER))


def spaced(name: str) -> str:
    """A name in CamelCase as words in lower case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _split(name: str) -> str:
    return spaced(name.removeprefix("joint:"))


def is_skin(name: str) -> bool:
    """Whether a part is named like what lies bare under clothes."""
    return _OF_SKIN.search(_split(name)) is not None and _OF_CLOTH_IN_JAPANESE.search(name) is None


def is_body(name: str) -> bool:
    """Whether a part is named like something of the body or of a shoe: skin, hair, hands, boots."""
    return _OF_BODY.search(_split(name)) is not None and _OF_CLOTH_IN_JAPANESE.search(name) is None


def is_cloth(name: str) -> bool:
    """Whether a part is named like cloth: a garment or a fabric."""
    return not is_body(name) and _OF_CLOTH.search(_split(name)) is not None


def is_hard(name: str) -> bool:
    """Whether a part is named like something that keeps its shape: armour, metal, a weapon, glasses, a hat.

    Of a joint (`joint:NAME`) the word joint says nothing.
    """
    words = _split(name)
    if name.startswith("joint:"):
        words = _JOINTS.sub("", words)
    return not is_body(name) and not is_cloth(name) and _OF_HARD.search(words) is not None


def bare_bodies(names: Collection[str]) -> set[str]:
    """Those parts of a character that are named body, where others are named like garments that dress all of it."""
    garments = [_split(name) for name in names if is_cloth(name)]
    above, below, all_over = (any(worn.search(garment) for garment in garments) for worn in _DRESSES)
    if not (all_over or (above and below)):
        return set()
    return {name for name in names if _OF_TRUNK.search(_split(name)) and not is_cloth(name) and not is_hard(name)}


def is_cloth_joint(joint: str) -> bool:
    """Whether a joint is named like a garment: of joints, top and bottom are places."""
    return is_cloth(_PLACES.sub("", _split(joint)))


def limb_of(joint: str) -> str | None:
    """Which limb a joint is named like something of, "head", "hand" or "foot"; None for none."""
    return next((limb for limb, words in _OF_LIMBS.items() if words.search(_split(joint))), None)


def hangs_on_head(joint: str) -> bool:
    """Whether a joint is named like what only a head carries: hair, eyes, a jaw."""
    return _HANGS_ON_HEAD.search(_split(joint)) is not None


def is_finger(joint: str) -> bool:
    """Whether a joint is named like a finger."""
    return _OF_FINGERS.search(_split(joint)) is not None


def is_hips(joint: str) -> bool:
    """Whether a joint is named like that of the hips, of which a hip of one side is none."""
    return _OF_HIPS.search(_split(joint)) is not None


def is_unusual(clip: str) -> bool:
    """Whether a clip is named like what cloth is seldom seen in: a roll, a death, a jump."""
    return _IS_UNUSUAL.search(spaced(clip.rpartition("|")[2])) is not None


def patterns() -> dict[str, str]:
    """Regular expressions that the rules search a name in lower case with spaces for, as JavaScript knows them too.

    `body`, `cloth`, `hard` and `unusual` are those of `is_body`, `is_cloth`, `is_hard` and `is_unusual`; `japanese` tells cloth
    before all others.
    """
    return {
        "body": _OF_BODY.pattern,
        "cloth": _OF_CLOTH.pattern,
        "hard": _OF_HARD.pattern,
        "japanese": _OF_CLOTH_IN_JAPANESE.pattern,
        "unusual": _IS_UNUSUAL.pattern,
    }
