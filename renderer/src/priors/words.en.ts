import type { Pull } from '#shared/contract/destinations.ts'
import { countText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'

export const en = {
  title: 'Earlier studies',
  about:
    'Asks another system for a patient’s earlier studies and has them sent here. Nothing is changed there.',
  backToStudy: 'Back to the study',
  back: 'All destinations',
  none: 'No destination to ask',
  noneText:
    'None of the destinations that are switched on lets earlier studies be fetched. An administrator sets this in the destination’s form.',
  form: {
    destination: 'Ask',
    patientId: 'Patient ID',
    patientName: 'Patient name',
    nameExample: 'Berg, or Ber*',
    accessionNumber: 'Accession number',
    from: 'From',
    to: 'To',
    find: 'Find',
    oneOf: 'Enter a patient ID, a name or an accession number.',
    idsDiffer:
      'A patient ID is not the same in every system: compare name and birth date before you fetch.',
  },
  before: 'Whose earlier studies?',
  beforeText:
    'Enter a patient ID, a name or an accession number and press Find. What the other system has appears here; nothing is fetched until you say so.',
  results: 'Found',
  found: (studies: number, took: string) => `${countText(studies, 'study', 'studies')} in ${took}`,
  nothing: 'Nothing was found',
  nothingText:
    'The other system may know the patient by another number. Try the name, or fewer fields.',
  label: 'Studies the other system has',
  columns: { patient: 'Patient', date: 'Date', exam: 'Exam', images: 'Images', here: 'Here' },
  otherPatient: 'Not the same patient ID',
  otherPatientMeaning:
    'The study you came from has another patient ID. Compare name and birth date before you fetch it.',
  born: 'born',
  hereAll: 'all here',
  hereSome: (here: string) => `${here} here`,
  fetch: 'Fetch',
  fetchAgain: 'Fetch again',
  open: 'Open the study',
  pulls: 'Fetched lately',
  pullsNone: 'Nothing was fetched since the gateway started.',
  from: (name: string) => `from ${name}`,
  progress: (done: string, all: string) => `${done} of ${all} images`,
  failedImages: (count: string) => `${count} could not be sent`,
  caller: 'An unknown system called meanwhile and was rejected. If it is this one, let it in under',
  devices: 'Devices',
  states: {
    running: { tone: 'info', name: 'Coming' },
    done: { tone: 'good', name: 'Here' },
    failed: { tone: 'danger', name: 'Failed' },
  } satisfies Record<Pull['state'], { tone: Tone; name: string }>,
} as const

export type English = typeof en
