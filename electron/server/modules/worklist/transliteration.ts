import { romanizeHangul, romanizeKana } from './romanization.ts'

/**
 * Says text in ASCII for a console that knows nothing else, or `undefined` where that cannot be
 * done by rule: kanji, Arabic, Hebrew, Thai and whatever else has no table here. Never leaves a
 * letter out for want of one, never puts a question mark.
 *
 * Latin letters lose their marks (ä is a, ß is ss), Cyrillic follows ICAO Doc 9303-3 section 6,
 * Greek ISO 843 type 2, kana Hepburn with vowels as written (たろう is tarou), Hangul the Revised
 * Romanization letter by letter. The delimiters `^`, `=` and `\` stay, and no new ones come from
 * their full-width forms. A PN of several component groups is said as one text; a caller that has
 * an alphabetic group already gives only that (PS3.5 6.2.1.2).
 */
export function transliterate(text: string): string | undefined {
  if (PLAIN.test(text)) return text
  // A superscript after a digit would become one more digit: 10² is not 102.
  if (/\d[²³¹⁰-⁹₀-₉]/u.test(text)) return undefined
  const latin = text
    .normalize('NFC')
    .replace(/[＾＝＼\p{Cf}]/gu, (sign) => (/\p{Cf}/u.test(sign) ? '' : ' '))
    .replace(/(?<=\d)[¼-¾⅐-⅞]/gu, ' $&')
    .replace(SIGN, (sign) => SIGNS[sign] ?? sign)
    .normalize('NFKC')
    .replaceAll('⁄', '/')
    // NFKC makes the Greek letter of the micro sign: a microgram must not become a milligram.
    .replace(/μ(?=[A-Za-z])/g, 'u')
    .replace(/[\p{sc=Hiragana}\p{sc=Katakana}ー]+/gu, romanizeKana)
    .replace(/[\uac00-\ud7a3]+/g, romanizeHangul)
    .replace(GREEK_PAIR, greekPair)
    .replace(/\p{Script=Greek}/gu, (letter, at: number, whole: string) =>
      cased(GREEK[unaccented(letter)], letter, at, whole),
    )
    .replace(/\p{Script=Cyrillic}/gu, (letter, at: number, whole: string) =>
      cased(CYRILLIC[letter.toLowerCase()], letter, at, whole),
    )
    .replace(/\p{Script=Latin}/gu, (letter, at: number, whole: string) =>
      cased(LATIN[letter.toLowerCase()], letter, at, whole),
    )
    .normalize('NFKD')
    .replace(/(?<=[A-Za-z]\p{M}*)\p{M}/gu, '')
  const isSaid = PLAIN.test(latin) && (latin.trim() !== '' || text.trim() === '')
  return isSaid && delimitersOf(latin) === delimitersOf(text) ? latin : undefined
}

// A further delimiter would make another name of it, or another value.
const delimitersOf = (text: string) => text.replace(/[^\\^=]/g, '')

const PLAIN = /^[\t\n\f\r\x20-\x7e]*$/

const SIGNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'‘’‚‛ʹʻʼʾʿ´`'].map((sign) => [sign, "'"])),
  ...Object.fromEntries([...'“”„«»″'].map((sign) => [sign, '"'])),
  ...Object.fromEntries([...'‐‑‒–—―−'].map((sign) => [sign, '-'])),
  ...Object.fromEntries([...'・·•'].map((sign) => [sign, ' '])),
  ...{
    '±': '+/-',
    '×': 'x',
    '÷': '/',
    '°': 'deg',
    µ: 'u',
    '€': 'EUR',
    '、': ',',
    '。': '.',
    '「': '"',
    '」': '"',
  },
}
const SIGN = new RegExp(`[${Object.keys(SIGNS).join('')}]`, 'gu')

/** Letters that are no base letter with a mark. */
const LATIN: Readonly<Record<string, string>> = {
  ...{
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
    ı: 'i',
    ŋ: 'n',
    ŧ: 't',
    ĸ: 'k',
    ə: 'a',
  },
}

/** ICAO Doc 9303-3 section 6 B; the soft sign has no letter there. */
const CYRILLIC: Readonly<Record<string, string>> = {
  ...{
    а: 'a',
    б: 'b',
    в: 'v',
    г: 'g',
    д: 'd',
    е: 'e',
    ё: 'e',
    ж: 'zh',
    з: 'z',
    и: 'i',
    й: 'i',
    к: 'k',
    л: 'l',
    м: 'm',
    н: 'n',
  },
  ...{
    о: 'o',
    п: 'p',
    р: 'r',
    с: 's',
    т: 't',
    у: 'u',
    ф: 'f',
    х: 'kh',
    ц: 'ts',
    ч: 'ch',
    ш: 'sh',
    щ: 'shch',
    ъ: 'ie',
    ы: 'y',
  },
  ...{
    ь: '',
    э: 'e',
    ю: 'iu',
    я: 'ia',
    ґ: 'g',
    є: 'ie',
    і: 'i',
    ї: 'i',
    ў: 'u',
    ѓ: 'g',
    ќ: 'k',
    ѕ: 'dz',
    ј: 'j',
    љ: 'lj',
  },
  ...{ њ: 'nj', ћ: 'c', ђ: 'd', џ: 'dz', ѐ: 'e', ѝ: 'i', ѣ: 'ie', ѳ: 'f', ѵ: 'y' },
}

/** ISO 843 type 2 (transcription), letter by letter. */
const GREEK: Readonly<Record<string, string>> = {
  ...{
    α: 'a',
    β: 'v',
    γ: 'g',
    δ: 'd',
    ε: 'e',
    ζ: 'z',
    η: 'i',
    θ: 'th',
    ι: 'i',
    κ: 'k',
    λ: 'l',
    μ: 'm',
    ν: 'n',
    ξ: 'x',
  },
  ...{ ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o' },
}

/**
 * Pairs that sound otherwise than their letters; an accent on the first letter, or a diaeresis,
 * says that they are no pair.
 */
const GREEK_PAIR = /[αε][υύ]|η[υύ]|ο[υύ]|γ[γξχ]|(?<!\p{L})μπ/giu

function greekPair(pair: string, at: number, whole: string): string {
  const [first = '', second = ''] = [...pair.toLowerCase()].map(unaccented)
  // Before a voiceless consonant, or at the end, the second sound is f.
  const isVoiceless = /^(?:[θκξπσςτφχψ]|(?!\p{L}))/iu.test(whole.slice(at + pair.length))
  const latin =
    first === 'γ'
      ? `n${second === 'γ' ? 'g' : GREEK[second]}`
      : first === 'μ'
        ? 'b'
        : first === 'ο'
          ? 'ou'
          : `${GREEK[first]}${isVoiceless ? 'f' : 'v'}`
  const [head = '', tail = ''] = [...pair]
  if (!isUpper(head)) return latin
  return isUpper(tail) ? latin.toUpperCase() : latin.charAt(0).toUpperCase() + latin.slice(1)
}

const unaccented = (letter: string) => letter.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

/**
 * The Latin letters in the case of the source: Ж is Zh in Живко and ZH in ЖИВКО. Without any, the
 * source stays and shows as unsaid.
 */
function cased(latin: string | undefined, letter: string, at: number, whole: string): string {
  if (latin === undefined) return letter
  if (!isUpper(letter)) return latin
  const [before, after] = [whole.charAt(at - 1), whole.charAt(at + letter.length)]
  const isCapitals = isUpper(after) || (isUpper(before) && !isLower(after))
  return latin.length === 1 || isCapitals
    ? latin.toUpperCase()
    : latin.charAt(0).toUpperCase() + latin.slice(1)
}

const isUpper = (letter: string) => /^\p{Lu}/u.test(letter)
const isLower = (letter: string) => /^\p{Ll}/u.test(letter)
