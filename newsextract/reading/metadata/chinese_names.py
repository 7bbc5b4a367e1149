"""Chinese bylines: the names of persons, which neither space nor capital sets apart, and the lines that credit them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_SURNAMES = frozenset(
    "王李张刘陈杨黄赵周吴徐孙朱马胡郭林何高梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁于董余苏叶吕魏蒋田杜丁沈姜范江傅钟卢汪戴崔任陆"
    "廖姚方金邱夏谭韦贾邹石熊孟秦阎薛侯雷白龙段郝孔邵史毛常万顾赖武康贺严尹钱施牛洪龚汤陶黎温莫易樊乔文安殷颜庄章鲁倪庞邢俞翟蓝"
    "聂齐向申葛柴伍覃骆关焦柳欧祝纪尚毕耿芦左季管符辛苗詹曲欧靳祁路涂宁甘单裴柏桂霍翁成房游代桑兰阮瞿冉艾肖闫付岳权娄仝种字解"
    "郁宫银包班阳盘巩鲍喻舒屈闵封谷蒲项娜费童项连麦凌宗晏司卞滕冷臧米车束习邬丛郎盛苑卫荣储巫鞠应池辜耶甄楚戚宣阚相祖濮仇敖褚穆"
    "丘栾佟和井卓时岑郗计明华景练伊边简饶商燕席皮水竺窦云占晋党幸罕肇粟揭卿干蔺晁"
    "張劉陳楊黃趙吳孫馬鄭羅謝韓許鄧蕭馮葉呂蔣沈盧陸譚韋賈鄒閻龍顧賴賀嚴錢龔湯陶溫喬莊魯龐藍聶齊關歐紀畢單閆權婁種銀盤鞏鮑費"
    "蘇鍾鐘範項連麥滿閔應華時計簡饒竇雲黨"
)
"""The common surnames of one character, in both scripts."""

_COMPOUND_SURNAMES = frozenset(
    """欧阳 歐陽 太史 端木 上官 司马 司馬 东方 東方 独孤 獨孤 南宫 南宮 万俟 闻人 夏侯 诸葛 諸葛 尉迟 公羊 赫连
    澹台 皇甫 宗政 濮阳 公冶 太叔 申屠 公孙 公孫 慕容 仲孙 钟离 长孙 宇文 司徒 鲜于 司空 令狐 呼延 轩辕 百里
    东郭 南门""".split()
)

_OTHER_WORDS = frozenset(
    """关注 關注 订阅 文章 文字 文化 时间 时评 时报 周刊 周报 高清 计算 易信 金融 金额 管理 方面 方式 和平 成立
    成功 万元 明天 明年 水平 常见 向前 向上 相关 相關 应用 单位 简介 商业 房产 边缘 云南 安全 安徽 安装 代表
    任务 路透 于是 何时 白天 武汉 成都 郑州 鄭州 沈阳 苏州 蘇州 温州 徐州 常州 石家庄 宁波 宁夏 江苏 江西
    柏林 莫斯科 华盛顿 黄石 金华 马尼拉 连云港 包头 高雄 桂林 马来西亚 伊朗 罗马 曼谷 兰州 阳江 荣誉 项目
    解读 解析 安卓 华语 时代 时事 经典 权威 麦克 文汇 米兰 康复 高级 高考 常务 包装 祝福 贺信 齐全 费用 符合
    封面 连续 车市 席位 党建""".split()
)
"""Words and places that begin like names."""

_OUTLET = re.compile(
    r"(?:[报報网網社台臺]|日报|晚报|周刊|週刊|杂志|频道|頻道|综合|財經|财经|新闻|新聞|网站|官网|客户端|公众号|编辑部"
    r"|研究[院所]|公司|集团|基金|证券|银行|中心|委员会|大学|学院|协会|出版社|工作室|传媒|评论员|课题组)$"
)
"""The ends of names of outlets and institutions."""

_HAN = r"\u3400-\u9fff"
_FOREIGN = re.compile(rf"[{_HAN}]{{1,6}}(?:[·•・][{_HAN}A-Z]{{1,6}})+")
"""A foreign name as written in Chinese."""
_WORDS = re.compile(r"[\s\u3000、，,;；&]+")
IS_HAN = re.compile(rf"^[{_HAN}\s\u3000·•・、，]+$")


def is_chinese_name(word: str) -> bool:
    """Return whether a word without spaces is the full name of a person.

    >>> [is_chinese_name(word) for word in ("王小明", "欧阳晓红", "史蒂夫·乔布斯", "新京报", "关注", "北京")]
    [True, True, True, False, False, False]
    """
    if _FOREIGN.fullmatch(word):
        return True
    if not 2 <= len(word) <= 4 or not IS_HAN.match(word) or word in _OTHER_WORDS or _OUTLET.search(word):
        return False
    if word[:2] in _COMPOUND_SURNAMES:
        return len(word) > 2
    return word[0] in _SURNAMES and (len(word) < 4 or word[1] in _SURNAMES)


def is_chinese_outlet(text: str) -> bool:
    """Return whether a Chinese name is that of an outlet or an institution.

    >>> is_chinese_outlet("新浪财经"), is_chinese_outlet("李小白")
    (True, False)
    """
    return _OUTLET.search(text) is not None


def first_names(text: str) -> tuple[list[str], str]:
    """Return the names with which a text begins, and the rest; a name of two characters may have a space inside.

    >>> first_names("方 敏 李心萍、丁怡婷 北京报道")
    (['方敏', '李心萍', '丁怡婷'], '北京报道')
    """
    words = [word for word in _WORDS.split(text) if word]
    names: list[str] = []
    at = 0
    while at < len(words):
        joined = "".join(words[at : at + 2]) if len(words[at]) == 1 and len("".join(words[at : at + 2])) == 2 else ""
        name = joined or words[at]
        if not is_chinese_name(name):
            break
        names.append(name)
        at += 2 if joined else 1
    return names, " ".join(words[at:])


# Read the lines that say who made an article and as what: a reporter signs it, an editor does not.


class Credits(NamedTuple):
    """The persons named in the credits of a Chinese page."""

    reporters: tuple[str, ...] = ()
    """Of the first line that names one."""
    helpers: frozenset[str] = frozenset()
    """Editors, proof-readers and translators."""


_REPORTER = r"记者|記者|撰稿人?|撰文|通讯员|通訊員|特派员|实习生|采写|作者|(?:文字?|文本)(?=\s?[:：/／|｜丨])"
_HELPER = (
    r"责任编辑|責任編輯|编辑|編輯|责编|責編|主编|主編|总编|编审|审核|审校|校对|校對|监制|出品|策划|统筹|制作|制图|摄影|攝影"
    r"|视频|翻译|翻譯|编译|編譯|来源|來源|(?:图片?|圖片?)(?=\s?[:：/／|｜丨])|责任校对|参与记者|参与采写"
)
_ROLE = re.compile(rf"(?:(?P<helper>{_HELPER})|(?P<reporter>{_REPORTER}))[\s\u3000:：/／|｜丨]*")
_OF_PICTURES = re.compile(r"[摄攝图圖]|视频")
_CREDIT = re.compile(rf"{_HELPER}|{_REPORTER}|[电電讯訊]\s?[（(]")
"""What every line with a credit has."""

_MAX_CHARS = 80
"""The longest line of credits."""
_BEFORE = re.compile(
    r"^(?:【[^】]{1,4}】)?[\s\u3000■□▲●◎【\[（(《“\"/／|]*(?:[^\s，。！？；：:、,]{0,14}[\s\u3000/／|]*)?$"
)
"""What may come before the first role of a line: brackets and the outlet's name."""
_AFTER = re.compile(
    r"^(?:[\s\u3000）)】\]/／|]*|(?:\S{2,6}\s?)?(?:报道|報導|報道|发自\S{0,8}|[摄文攝/／]).{0,12}|[（(].{0,20}"
    r"|[A-Z]{1,3}\d{2,4}\W*|\d.*|分享.*|\S{2,6})$"
)
"""What may follow the last name: a place, a number in the house, the date, links to share."""
_DATELINE = re.compile(r"[（(]([^（()）]{2,40})[)）]")
_WIRED = re.compile(r"[^\s，。]{1,30}[电電讯訊]\s?")
"""What stands before the reporter where a story begins: house, place and day. Teasers begin with a title."""
_BESIDE_NAMES = re.compile(r"[（(]实习\S{0,2}[)）]|文并摄")
"""What a name is, in brackets behind it, and that of the text and the pictures."""
_TOOK = re.compile(r"[摄攝][\s）)。]*$")
"""That of a picture alone."""
_DATE = re.compile(r"20\d\d\s?[-年/.]\s?\d")


def read_credits(lines: Iterable[str]) -> Credits:
    """Return who is named in the credits of a page.

    >>> read_credits(["新京报记者 王小明 编辑 李红 校对 张三"])[0]
    ('王小明',)
    """
    reporters: tuple[str, ...] = ()
    helpers: set[str] = set()
    for line in lines:
        if (len(line) <= _MAX_CHARS or "(" in line or "（" in line) and _CREDIT.search(line):
            signing, helping = _line_credits(line)
            reporters = reporters or tuple(signing)
            helpers.update(helping)
    return Credits(reporters, frozenset(helpers.difference(reporters)))


def is_dated_signature(line: str) -> bool:
    """Return whether a line is the row under a headline, of reporter and date, rather than text.

    >>> is_dated_signature("临江晚报 记者 方静怡 2026年11月20日 分享到微博"), is_dated_signature("新华社记者 施春")
    (True, False)
    """
    return len(line) <= _MAX_CHARS and _DATE.search(line) is not None and bool(_by_roles(line)[0])


def _line_credits(line: str) -> tuple[list[str], list[str]]:
    """Return the reporters and the helpers whom one line names."""
    if len(line) <= _MAX_CHARS:
        found = _by_roles(line)
        if any(found):
            return found
    signing, helping = [], []
    for bracket in _DATELINE.finditer(line):
        is_dateline = _WIRED.fullmatch(line[: bracket.start()]) is not None
        if is_dateline or bracket.end() == len(line.rstrip("。 ")):
            inside = bracket[1].strip()
            some, others = _by_roles(inside)
            signing += [*(first_names(inside)[0] if is_dateline else []), *some]
            helping += others
    return signing, helping


def _by_roles(line: str) -> tuple[list[str], list[str]]:
    line = _BESIDE_NAMES.sub("", line)
    roles = list(_ROLE.finditer(line))
    signing: list[str] = []
    helping: list[str] = []
    if not roles or not _BEFORE.match(line[: roles[0].start()]):
        return signing, helping
    for role, after in zip(roles, [*roles[1:], None], strict=True):
        segment = line[role.end() : after.start() if after else len(line)].strip("\u3000 ）)】]")
        names, rest = first_names(re.split(r"[|｜丨/／]", segment)[0])
        if after is None and (not _AFTER.match(rest) or _TOOK.match(rest)):
            return [], []
        if not _OF_PICTURES.match(role[0]):  # whoever took the picture may have written, too
            (helping if role["helper"] else signing).extend(names)
    return signing, helping
