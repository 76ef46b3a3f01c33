/**
 * Transliterates text to ASCII for a device that supports nothing else. Returns undefined for text
 * that cannot be transliterated by rule: kanji, Arabic, Hebrew, Thai and other scripts without a
 * table here. Letters are never dropped or replaced with a question mark.
 *
 * Latin letters lose their diacritics (ä is a, ß is ss), Cyrillic follows ICAO Doc 9303-3 section
 * 6, Greek ISO 843 type 2, kana Hepburn with vowels as written (たろう is tarou), Hangul the Revised
 * Romanization letter by letter. The delimiters `^`, `=` and `\` are kept, and full-width forms do
 * not add new ones. A PN with several component groups is transliterated as one text; a caller that
 * has an alphabetic group passes only that (PS3.5 §6.2.1.2).
 */
export function transliterate(text: string): string | undefined {
  if (PLAIN_TEXT.test(text)) return text
  // A superscript after a digit would become another digit: 10² is not 102.
  if (/\d[²³¹⁰-⁹₀-₉]/u.test(text)) return undefined
  const latin = text
    .normalize('NFC')
    .replace(/[＾＝＼\p{Cf}]/gu, (sign) => (/\p{Cf}/u.test(sign) ? '' : ' '))
    .replace(/(?<=\d)[¼-¾⅐-⅞]/gu, ' $&')
    .replace(SIGN_PATTERN, (sign) => SIGNS[sign] ?? sign)
    .normalize('NFKC')
    .replaceAll('⁄', '/')
    // NFKC turns the micro sign into the Greek letter: a microgram must not become a milligram.
    .replace(/μ(?=[A-Za-z])/g, 'u')
    .replace(/[\p{sc=Hiragana}\p{sc=Katakana}ー]+/gu, romanizeKana)
    .replace(/[\uac00-\ud7a3]+/g, romanizeHangul)
    .replace(GREEK_PAIR, greekPair)
    .replace(/\p{Script=Greek}/gu, (letter, at: number, whole: string) =>
      matchCase(GREEK[withoutAccents(letter)], letter, at, whole),
    )
    .replace(/\p{Script=Cyrillic}/gu, (letter, at: number, whole: string) =>
      matchCase(CYRILLIC[letter.toLowerCase()], letter, at, whole),
    )
    .replace(/\p{Script=Latin}/gu, (letter, at: number, whole: string) =>
      matchCase(LATIN[letter.toLowerCase()], letter, at, whole),
    )
    .normalize('NFKD')
    .replace(/(?<=[A-Za-z]\p{M}*)\p{M}/gu, '')
  const isComplete = PLAIN_TEXT.test(latin) && (latin.trim() !== '' || text.trim() === '')
  return isComplete && delimitersOf(latin) === delimitersOf(text) ? latin : undefined
}

// An additional delimiter would change the structure of a name or add a value.
const delimitersOf = (text: string) => text.replace(/[^\\^=]/g, '')

const PLAIN_TEXT = /^[\t\n\f\r\x20-\x7e]*$/

const SIGNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'‘’‚‛ʹʻʼʾʿ´`'].map((sign) => [sign, "'"])),
  ...Object.fromEntries([...'“”„«»″'].map((sign) => [sign, '"'])),
  ...Object.fromEntries([...'‐‑‒–—―−'].map((sign) => [sign, '-'])),
  ...Object.fromEntries([...'・·•'].map((sign) => [sign, ' '])),
  ...letterMap('±×÷°µ€、。「」', '+/- x / deg u EUR , . " "'),
}
const SIGN_PATTERN = new RegExp(`[${Object.keys(SIGNS).join('')}]`, 'gu')

/** Letters that are not a base letter with a diacritic. */
const LATIN = letterMap('ßæœøłđðþħıŋŧĸə', 'ss ae oe o l d d th h i n t k a')

/** ICAO Doc 9303-3 section 6 B, in which the soft sign has no equivalent. */
const CYRILLIC: Readonly<Record<string, string>> = {
  ...letterMap('абвгдеёжзийклмн', 'a b v g d e e zh z i i k l m n'),
  ...letterMap('опрстуфхцчшщъыэюя', 'o p r s t u f kh ts ch sh shch ie y e iu ia'),
  ...letterMap('ґєіїўѓќѕјљњћђџѐѝѣѳѵ', 'g ie i i u g k dz j lj nj c d dz e i ie f y'),
  ь: '',
}

/** ISO 843 type 2 (transcription), letter by letter. */
const GREEK = letterMap(
  'αβγδεζηθικλμνξοπρσςτυφχψω',
  'a v g d e z i th i k l m n x o p r s s t y f ch ps o',
)

/**
 * Pairs with their own pronunciation. An accent on the first letter or a diaeresis marks two
 * separate letters.
 */
const GREEK_PAIR = /[αε][υύ]|η[υύ]|ο[υύ]|γ[γξχ]|(?<!\p{L})μπ/giu

function greekPair(pair: string, at: number, whole: string): string {
  const [first = '', second = ''] = [...pair.toLowerCase()].map(withoutAccents)
  // Before a voiceless consonant and at the end of a word, the second letter is an f.
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

const withoutAccents = (letter: string) =>
  letter.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

/**
 * Applies the case of the source letter: Ж is Zh in Живко and ZH in ЖИВКО. A letter without a
 * transliteration is returned as it is, which the caller detects.
 */
function matchCase(latin: string | undefined, letter: string, at: number, whole: string): string {
  if (latin === undefined) return letter
  if (!isUpper(letter)) return latin
  const [before, after] = [whole.charAt(at - 1), whole.charAt(at + letter.length)]
  const isAllCaps = isUpper(after) || (isUpper(before) && !isLower(after))
  return latin.length === 1 || isAllCaps
    ? latin.toUpperCase()
    : latin.charAt(0).toUpperCase() + latin.slice(1)
}

const isUpper = (letter: string) => /^\p{Lu}/u.test(letter)
const isLower = (letter: string) => /^\p{Ll}/u.test(letter)

/** Hepburn romanization, by rows of the kana table. */
const KANA: Readonly<Record<string, string>> = {
  ...letterMap('あいうえお', 'a i u e o'),
  ...letterMap('かきくけこ', 'ka ki ku ke ko'),
  ...letterMap('がぎぐげご', 'ga gi gu ge go'),
  ...letterMap('さしすせそ', 'sa shi su se so'),
  ...letterMap('ざじずぜぞ', 'za ji zu ze zo'),
  ...letterMap('たちつてと', 'ta chi tsu te to'),
  ...letterMap('だぢづでど', 'da ji zu de do'),
  ...letterMap('なにぬねの', 'na ni nu ne no'),
  ...letterMap('はひふへほ', 'ha hi fu he ho'),
  ...letterMap('ばびぶべぼ', 'ba bi bu be bo'),
  ...letterMap('ぱぴぷぺぽ', 'pa pi pu pe po'),
  ...letterMap('まみむめも', 'ma mi mu me mo'),
  ...letterMap('やゆよ', 'ya yu yo'),
  ...letterMap('らりるれろ', 'ra ri ru re ro'),
  ...letterMap('わゐゑをん', 'wa i e o n'),
  ...letterMap('ゔ', 'vu'),
}

/** The vowels that small kana put in place of the preceding vowel. */
const SMALL: Readonly<Record<string, string>> = {
  ...letterMap('ゃゅょ', 'ya yu yo'),
  ...letterMap('ぁぃぅぇぉ', 'a i u e o'),
}

/**
 * Romanizes a run of kana and capitalizes the first letter, as in a name. Long vowels are
 * transcribed as written, and the length mark is dropped. A letter without a rule is kept.
 */
export function romanizeKana(kana: string): string {
  let romaji = ''
  let isDoubled = false
  for (const letter of kana.replace(/[ァ-ヴ]/gu, (katakana) =>
    String.fromCharCode(katakana.charCodeAt(0) - 0x60),
  )) {
    const small = SMALL[letter]
    if (letter === 'っ') isDoubled = true
    else if (small && romaji) romaji = withSmallKana(romaji, small)
    else if (letter !== 'ー' || !romaji) {
      const syllable = KANA[letter] ?? letter
      // Hepburn doubles ch as tch.
      const doubledConsonant = isDoubled
        ? syllable.startsWith('ch')
          ? 't'
          : syllable.charAt(0)
        : ''
      romaji += doubledConsonant + syllable
      isDoubled = false
    }
  }
  return capitalize(isDoubled ? `${romaji}tsu` : romaji)
}

function withSmallKana(romaji: string, small: string): string {
  const stem = romaji.slice(0, -1)
  if (small.length === 1) return stem + small
  // きゃ is kya, but しゃ, ちゃ and じゃ already contain the y sound in their consonant.
  return /(?:sh|ch|j)$/.test(stem) ? stem + small.slice(1) : stem + small
}

const INITIALS = 'g kk n d tt r m b pp s ss  j jj ch k t p h'.split(' ')
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const FINALS = ' k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ')

/**
 * Romanizes a run of Hangul syllables letter by letter (Revised Romanization) and capitalizes the
 * first letter.
 */
export function romanizeHangul(hangul: string): string {
  const syllables = [...hangul].map((syllable) => {
    // A syllable is numbered by its initial, vowel and final (Unicode 3.12).
    const number = syllable.charCodeAt(0) - 0xac00
    const [initial, vowel, final] = [
      Math.floor(number / 588),
      Math.floor(number / 28) % 21,
      number % 28,
    ]
    return `${INITIALS[initial]}${VOWELS[vowel]}${FINALS[final]}`
  })
  return capitalize(syllables.join(''))
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Maps each letter to its romanization. */
function letterMap(letters: string, latin: string): Readonly<Record<string, string>> {
  const parts = latin.split(' ')
  return Object.fromEntries([...letters].map((letter, at) => [letter, parts[at] ?? '']))
}
