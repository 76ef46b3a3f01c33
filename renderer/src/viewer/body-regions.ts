/**
 * Regions of the body and how devices and people write them: Body Part Examined (PS3.16 Annex L) in
 * full and abbreviated, and words of descriptions in the languages of our clinics.
 */
const REGIONS = {
  head: 'head skull brain cranium cerebral neuro face sinus orbit cabeza craneo cerebro senos kopf schadel crane tete',
  neck: 'neck cervical carotid thyroid larynx cuello tiroides hals cou',
  spine: 'spine spinal cspine tspine lspine lumbar vertebral columna raquis wirbelsaule rachis',
  chest: 'chest thorax thoracic lung lungs ribs torax pulmon lunge poitrine',
  heart: 'heart cardiac coronary corazon cardiaco herz coeur',
  abdomen: 'abdomen abdominal liver kidney renal pancreas higado rinon abdomenpelvis',
  pelvis: 'pelvis pelvic prostate uterus bladder prostata becken abdomenpelvis',
  breast: 'breast mammo mammography mammogram mamografia mama brust sein',
  shoulder: 'shoulder clavicle hombro schulter epaule',
  arm: 'arm humerus elbow forearm brazo codo antebrazo ellbogen',
  hand: 'hand wrist finger mano muneca handgelenk main',
  hip: 'hip femur cadera hufte hanche',
  knee: 'knee patella rodilla knie genou',
  leg: 'leg tibia fibula pierna',
  foot: 'foot ankle toe heel pie tobillo fuss pied cheville',
} as const
export type Region = keyof typeof REGIONS

const REGIONS_BY_WORD = new Map<string, readonly Region[]>()
for (const [region, words] of Object.entries(REGIONS) as [Region, string][])
  for (const word of words.split(' '))
    REGIONS_BY_WORD.set(word, [...(REGIONS_BY_WORD.get(word) ?? []), region])

/** Words of a text without case and accents. */
export const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}.]+/gu) ?? [],
  )

/** The regions that a text names, such as `chest` of `TC TÓRAX`. */
export const regionsOf = (text: string): ReadonlySet<Region> =>
  new Set([...wordsOf(text)].flatMap((word) => REGIONS_BY_WORD.get(word) ?? []))
