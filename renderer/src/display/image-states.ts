import type { ENRICHMENT_STATES, ImageStudySummary, Mismatch, QUARANTINE_REASONS } from '#shared/contract/images.ts'
import { numberText } from './amounts.ts'
import { clockText, dayText } from './dates.ts'
import type { Tone } from './tones.ts'

/** How something stands, for a badge. */
export interface Shown {
  readonly tone: Tone
  readonly name: string
  readonly meaning: string
}

type Arriving = Pick<ImageStudySummary, 'state' | 'instances' | 'expected' | 'missing' | 'lastTransfer'>

/**
 * How a study arrives, in the words of the badge: `Receiving`, `Complete`, `Incomplete: 53 missing, transfer broke off 10:42:07`.
 * @param zone the clinic's time zone, for the clock
 */
export function arrivalOf(study: Arriving, zone: string | undefined, now: Date): Shown {
  const { state, instances, expected, missing, lastTransfer } = study
  const broke = lastTransfer.how === 'aborted' ? `transfer broke off ${clockText(lastTransfer.at, zone, now)}` : ''
  if (state === 'receiving') {
    const name = ['Receiving', broke].filter(Boolean).join(', ')
    const meaning = broke
      ? `The connection ended before its time. ${SEND_AGAIN}`
      : 'Images are arriving, or the last one came a moment ago.'
    return { tone: broke ? 'warning' : 'info', name, meaning }
  }
  if (state === 'complete' && instances === 0) {
    return {
      tone: 'plain',
      name: 'No images in it',
      meaning: 'What came was set aside, or discarded since. Nothing was added to the study.',
    }
  }
  if (state === 'complete') {
    return {
      tone: 'good',
      name: 'Complete',
      meaning:
        expected === null
          ? 'It has been quiet since the last image. The device announced no number of images, so nobody can say that none is missing.'
          : 'Every image that the device announced is here.',
    }
  }
  const why = [missing > 0 ? `${numberText(missing)} missing` : '', broke].filter(Boolean).join(', ')
  return { tone: 'warning', name: why ? `Incomplete: ${why}` : 'Incomplete', meaning: SEND_AGAIN }
}

const SEND_AGAIN = 'Send the study again from the device: what is here already is recognised and is not doubled.'

/** `127 / 180`; `127` where nothing announced a number; `185 (180 announced)` where more came. */
export function countOf({ instances, expected }: Pick<Arriving, 'instances' | 'expected'>): string {
  if (expected === null) return numberText(instances)
  if (instances > expected) return `${numberText(instances)} (${numberText(expected)} announced)`
  return `${numberText(instances)} / ${numberText(expected)}`
}

/** Share of the announced images that are here, 0 to 100; null where nothing announced a number. */
export function shareOf({ expected, missing }: Pick<Arriving, 'expected' | 'missing'>): number | null {
  if (expected === null || expected === 0) return null
  return Math.floor(((expected - Math.min(missing, expected)) / expected) * 100)
}

/** Enrichment by the partner. */
export const ENRICHMENTS: Record<(typeof ENRICHMENT_STATES)[number], Shown> = {
  'not-asked': {
    tone: 'plain',
    name: 'Known before',
    meaning: 'The study was registered before its images came; the partner was not asked.',
  },
  waiting: { tone: 'info', name: 'Asking the partner', meaning: 'The partner is asked for what it knows of this study.' },
  done: { tone: 'good', name: 'Enriched', meaning: 'The partner added what it knows of this study.' },
  empty: { tone: 'plain', name: 'Nothing added', meaning: 'The partner answered that it has nothing to add.' },
  'given-up': {
    tone: 'warning',
    name: 'Not enriched',
    meaning: 'The partner could not be asked for so long that the gateway stopped trying.',
  },
}

/** Why an instance was set aside, and what a person can do. */
export const QUARANTINE: Record<(typeof QUARANTINE_REASONS)[number], { name: string; remedy: string }> = {
  'different-content': {
    name: 'Another image with the same identifier is here',
    remedy:
      'Look at the study on the device. If this is the corrected image, release it: it takes the place, and the other is kept. If it came by mistake, discard it.',
  },
  'wrong-step': {
    name: 'Taken under the wrong worklist entry',
    remedy:
      'The device says that the wrong patient or exam was chosen. Correct it on the device and send the images again, then discard these. Release them only if they do belong to this study.',
  },
  'invalid-uid': {
    name: 'An identifier in the image breaks the DICOM rules',
    remedy:
      'Tell the service of the device. If the image is needed, release it: other systems may refuse it. If it is sent again correctly, discard this one.',
  },
  'long-header': {
    name: 'Its header is too long to be read whole',
    remedy:
      'The image is compressed as a whole (deflated), and not everything it says about itself could be read. If it belongs to this study, release it. Better: let the device send it uncompressed, then discard this one.',
  },
}

/** Names of the fields that a mismatch compares. */
export const MISMATCH_NAMES: Record<Mismatch['fields'][number]['field'], string> = {
  patientName: 'Patient',
  patientId: 'Patient ID',
  patientBirthDate: 'Born',
  patientSex: 'Sex',
  accessionNumber: 'Accession',
  studyInstanceUid: 'Study UID',
}

const SEXES: Record<string, string> = { M: 'male', F: 'female', O: 'other' }

/** `male` for M (PS3.3 C.7.1.1); what it cannot name is shown as it is. */
export const sexText = (sex: string): string => SEXES[sex.trim().toUpperCase()] ?? sex

/** `CT study of 20 Nov 2026`, without the patient: it stands in the window's title too. */
export function studyTitle({ modalities, studyDate }: Pick<ImageStudySummary, 'modalities' | 'studyDate'>): string {
  const kind = modalities.length > 0 ? `${modalities.join(', ')} study` : 'Study'
  return studyDate ? `${kind} of ${dayText(studyDate)}` : kind
}
