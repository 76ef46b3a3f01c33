/** Hepburn, by rows of the table of kana. */
const KANA: Readonly<Record<string, string>> = {
  ...rows('あいうえお', 'a i u e o'),
  ...rows('かきくけこ', 'ka ki ku ke ko'),
  ...rows('がぎぐげご', 'ga gi gu ge go'),
  ...rows('さしすせそ', 'sa shi su se so'),
  ...rows('ざじずぜぞ', 'za ji zu ze zo'),
  ...rows('たちつてと', 'ta chi tsu te to'),
  ...rows('だぢづでど', 'da ji zu de do'),
  ...rows('なにぬねの', 'na ni nu ne no'),
  ...rows('はひふへほ', 'ha hi fu he ho'),
  ...rows('ばびぶべぼ', 'ba bi bu be bo'),
  ...rows('ぱぴぷぺぽ', 'pa pi pu pe po'),
  ...rows('まみむめも', 'ma mi mu me mo'),
  ...rows('やゆよ', 'ya yu yo'),
  ...rows('らりるれろ', 'ra ri ru re ro'),
  ...rows('わゐゑをん', 'wa i e o n'),
  ...rows('ゔ', 'vu'),
}

/** The vowel that a small letter puts in the place of the one before it. */
const SMALL: Readonly<Record<string, string>> = {
  ...rows('ゃゅょ', 'ya yu yo'),
  ...rows('ぁぃぅぇぉ', 'a i u e o'),
}

/**
 * Romaji of a run of kana, the first letter a capital, as in a name. Long vowels are as written,
 * and the mark of length is left out. A letter without a rule stays as it is.
 */
export function romanizeKana(kana: string): string {
  let romaji = ''
  let isDoubled = false
  for (const letter of kana.replace(/[ァ-ヴ]/gu, (katakana) =>
    String.fromCharCode(katakana.charCodeAt(0) - 0x60),
  )) {
    const small = SMALL[letter]
    if (letter === 'っ') isDoubled = true
    else if (small && romaji) romaji = withSmall(romaji, small)
    else if (letter !== 'ー' || !romaji) {
      const syllable = KANA[letter] ?? letter
      // Hepburn doubles ch as tch.
      const double = isDoubled ? (syllable.startsWith('ch') ? 't' : syllable.charAt(0)) : ''
      romaji += double + syllable
      isDoubled = false
    }
  }
  return capital(isDoubled ? `${romaji}tsu` : romaji)
}

function withSmall(romaji: string, small: string): string {
  const stem = romaji.slice(0, -1)
  if (small.length === 1) return stem + small
  // きゃ is kya, but しゃ, ちゃ and じゃ already have the sound in their consonant.
  return /(?:sh|ch|j)$/.test(stem) ? stem + small.slice(1) : stem + small
}

const INITIALS = 'g kk n d tt r m b pp s ss  j jj ch k t p h'.split(' ')
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const FINALS = ' k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ')

/**
 * Revised Romanization of a run of Hangul syllables, letter by letter, the first letter a capital.
 */
export function romanizeHangul(hangul: string): string {
  const syllables = [...hangul].map((syllable) => {
    // Unicode 3.12: a syllable is numbered by its initial, its vowel and its final.
    const number = syllable.charCodeAt(0) - 0xac00
    const [initial, vowel, final] = [
      Math.floor(number / 588),
      Math.floor(number / 28) % 21,
      number % 28,
    ]
    return `${INITIALS[initial]}${VOWELS[vowel]}${FINALS[final]}`
  })
  return capital(syllables.join(''))
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function rows(kana: string, romaji: string): Record<string, string> {
  const syllables = romaji.split(' ')
  return Object.fromEntries([...kana].map((letter, at) => [letter, syllables[at] ?? '']))
}
