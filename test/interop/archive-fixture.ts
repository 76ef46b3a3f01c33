import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../support/dcmtk.ts'
import { type StartedGateway, type StartOptions, startGateway } from '../support/gateway.ts'
import { outcomeOf, type Sendable, samplesByLack, sendAsItIs, sendable } from './storage-fixture.ts'

/** A gateway that has stored samples, which others query and retrieve. */
export interface ArchiveOfSamples extends AsyncDisposable {
  readonly started: StartedGateway
  /** What is in it. */
  readonly stored: readonly Sendable[]
  /** A new empty folder, which is removed with the archive. */
  folder(): string
}

/** One image or document of each kind and transfer syntax; no two of one SOP Instance UID. */
export const OF_EACH_SYNTAX = [
  'CT_small.dcm',
  'rtplan.dcm',
  'liver_expb_1frame.dcm',
  'SC_rgb_rle.dcm',
  'J2K_pixelrep_mismatch.dcm',
  '693_J2KI.dcm',
  'SC_rgb_jpeg_dcmtk.dcm',
  'JPGExtended.dcm',
  'MR_small_jpeg_ls_lossless.dcm',
  'image_dfl.dcm',
  'test-SR.dcm',
  'waveform_ecg.dcm',
]
/** Patient IDs of patients with several studies, series and images, and the folders of those. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  '77654033': ['77654033'],
  '98890234': ['98892001', '98892003'],
}
export const PATIENTS = Object.keys(FOLDERS)
const isOfPatient = (name: string, patientId: string) =>
  FOLDERS[patientId]?.some((folder) => name.startsWith(`dicomdirtests/${folder}/`))

export async function openArchiveOfSamples(options: StartOptions): Promise<ArchiveOfSamples> {
  await using opened = new AsyncDisposableStack()
  const scratch = opened.use(scratchFolder())
  const stored = sendable(
    (samplesByLack().get('') ?? []).filter(
      ({ name }) =>
        OF_EACH_SYNTAX.includes(name) || PATIENTS.some((patientId) => isOfPatient(name, patientId)),
    ),
    scratch.path,
  )
  const started = opened.use(await startGateway({ partner: null, ...options }))
  const outcomes = (await sendAsItIs(started.dimsePort, stored)).map(outcomeOf)
  const refused = outcomes.filter((outcome) => outcome !== 'sent 0000')
  if (refused.length > 0) throw new Error(`not stored: ${refused.join(', ')}`)
  const kept = opened.move()
  return {
    started,
    stored,
    folder: () => mkdtempSync(join(scratch.path, 'out-')),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** A stored sample by the name of its file. */
export function sampleOf({ stored }: ArchiveOfSamples, name: string): Sendable {
  const found = stored.find((sample) => sample.name === name)
  if (!found) throw new Error(`no sample ${name}`)
  return found
}

/** Samples of a patient of `PATIENTS`. */
export const ofPatient = ({ stored }: ArchiveOfSamples, patientId: string): readonly Sendable[] =>
  stored.filter(({ name }) => isOfPatient(name, patientId))
