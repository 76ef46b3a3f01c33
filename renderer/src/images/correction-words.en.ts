import type { Correction, CorrectionKind } from '#shared/contract/corrections.ts'
import { countText } from '../display/amounts.ts'

const images = (count: number) => countText(count, 'image')

/**
 * Texts of the correction of the identity of images: the steps that lead to it, and the history of
 * corrections.
 */
export const en = {
  menu: 'Correct identity',
  title: 'Correct the identity of images',
  about:
    'The original images are always kept. A correction can be undone until a report is signed with the corrected images.',
  back: 'Back to the study',
  step: (number: number) => `Step ${number}`,
  change: 'Change',
  changeStep: (step: string) => `Change: ${step}`,
  next: 'Continue',
  count: images,
  missing: '(empty)',
  nothingToCorrect: 'There is no image in this study',
  nothingToCorrectText:
    'They may have been moved to another study. The corrections are listed with the study.',

  now: {
    title: 'What the images say now',
    differs: 'What differs',
    more: (count: number) => `and ${countText(count, 'more patient', 'more patients')}`,
  },

  kinds: {
    title: 'What is wrong?',
    ways: {
      reassign: {
        name: 'These images belong to another order or patient',
        about:
          'They were acquired under the wrong worklist entry. All of them move to the right order, study or patient.',
      },
      split: {
        name: 'Some of these images belong to another patient or exam',
        about:
          'You choose which. They move to the right order, study or patient; the others stay in this study.',
      },
      correct: {
        name: 'Patient details are wrong',
        about:
          'It is the right patient and the right exam, but a name, ID, date of birth, sex or accession number is wrong or missing.',
      },
      merge: {
        name: 'These images belong to another study of this patient',
        about: 'One exam arrived as two studies. All images move to the other study.',
      },
    } satisfies Record<CorrectionKind, { name: string; about: string }>,
    several: (patients: number) =>
      `The images of this study name ${countText(patients, 'patient')}.`,
  },

  images: {
    title: 'Which images do not belong here?',
    about:
      'Images are grouped by the patient they name. Select those that do not belong to this study.',
    choosePatient: (count: number) => `All ${images(count)} of this patient`,
    noDescription: '(no description)',
    chosen: (chosen: number, all: number) => `${chosen} of ${images(all)} selected`,
    stay: (count: number) => (count === 1 ? '1 image stays' : `${images(count)} stay`),
    all: 'No image would stay in this study. To move all of them, go back to step 1 and choose “These images belong to another order or patient”.',
    some: 'Only some of them',
    numbers: 'Image numbers',
    numbersAbout: (least: number, most: number) =>
      `Instance Number, as the device shows it, from ${least} to ${most}. The viewer counts positions, which may differ.`,
    numbersExample: 'e.g. 1-20, 35',
    noSuchNumbers: 'No image has one of these numbers',
  },

  target: {
    titles: {
      reassign: 'Where do the images belong?',
      split: 'Where do the chosen images belong?',
      correct: 'What are the right details?',
      merge: 'Which study do the images belong to?',
    } satisfies Record<CorrectionKind, string>,
    how: 'How to choose',
    list: 'Choose an order or a study',
    typed: 'Enter the patient',
    search: 'Search',
    searchWhat: 'Name, patient ID, accession number or description',
    similar: 'Most similar first.',
    label: 'Orders and studies',
    order: 'Worklist order',
    study: (count: number) =>
      count === 0 ? 'Study without images' : `Study with ${images(count)}`,
    none: 'No order or study matches',
    noneText: 'Search for another name or number, or enter the patient.',
    noneMergeText: 'Search for another name or number.',
    noDate: 'no date',
    accession: (number: string) => `Acc. ${number}`,
    newStudy: 'A new study of this patient is created for them.',
    typedAbout:
      'Take the details from the order or an identity document. The value of an empty field is removed from the images.',
    prefilled:
      'The fields are filled in from the worklist or the study. Check them against the order or an identity document.',
    says: (values: string) => `Images: ${values}`,
    familyName: 'Family name',
    givenName: 'Given names',
    middleName: 'Middle names',
    prefix: 'Prefix',
    suffix: 'Suffix',
    ideographic: 'Name in ideographic characters',
    phonetic: 'Phonetic name',
    caret: 'Family name and given names with ^ between them.',
    moreName: 'More parts of the name',
    patientId: 'Patient ID',
    born: 'Date of birth',
    sex: 'Sex',
    noSex: 'not given',
    accessionNumber: 'Accession number',
    nameNeeded: 'Enter the family name',
    noSigns: 'Remove ^, = and \\',
  },

  check: {
    title: 'Check and apply',
    loading: 'Working out what would change',
    field: 'Field',
    before: 'Now',
    after: 'After the correction',
    changed: 'changes',
    newUid: '(new; assigned when applied)',
    happens: 'What happens',
    moves: {
      correct: (count: number) =>
        count === 1
          ? '1 image is corrected in this study'
          : `${images(count)} are corrected in this study`,
      reassign: (count: number) => (count === 1 ? '1 image moves' : `${images(count)} move`),
      split: (count: number) => (count === 1 ? '1 image moves' : `${images(count)} move`),
      merge: (count: number) => (count === 1 ? '1 image moves' : `${images(count)} move`),
    } satisfies Record<CorrectionKind, (count: number) => string>,
    stays: (count: number) =>
      count === 0
        ? 'No image stays here'
        : count === 1
          ? '1 image stays here'
          : `${images(count)} stay here`,
    originals: 'Originals',
    originalsText: 'They are kept, but no longer shown or sent.',
    destinations: 'Destinations',
    destinationsText: (names: string) =>
      `${names}: a rejection note for the originals is sent, then the corrected images.`,
    noDestinations: 'No other system has copies.',
    reports: 'Signed reports',
    reportsText: (count: number) =>
      count === 1
        ? '1 signed report stays unchanged and needs an addendum. Everyone who received it must be informed.'
        : `${count} signed reports stay unchanged and each needs an addendum. Everyone who received them must be informed.`,
    noReports: 'No report was signed with these images.',
    warning: 'Check this before you apply it',
    obstacle: 'This cannot be done',
    changedSince: 'Something changed in the meantime',
    changedSinceText:
      'Nothing was applied. Check the updated correction below, then apply it again.',
    cause: 'Cause',
    causeAbout: 'Sent to archives as the reason for rejecting the originals.',
    causeNeeded: 'Choose the cause',
    causes: {
      'wrong-worklist-entry': {
        name: 'Wrong worklist entry',
        about: 'The wrong order or patient was selected at the console, or its details were wrong.',
      },
      'patient-safety': {
        name: 'Risk to a patient',
        about: 'A patient may have been treated, or may be treated, on the basis of these images.',
      },
    } satisfies Record<Correction['cause'], { name: string; about: string }>,
    reason: 'Reason',
    reasonAbout: 'What happened, and how you know what is right. Kept in the audit trail.',
    reasonExample: 'e.g. selected the previous patient at the console; wristband checked',
    cancel: 'Cancel',
    apply: {
      correct: (count: number) => `Correct ${images(count)}`,
      reassign: (count: number) => `Move ${images(count)}`,
      split: (count: number) => `Move ${images(count)}`,
      merge: (count: number) => `Move ${images(count)}`,
    } satisfies Record<CorrectionKind, (count: number) => string>,
  },

  done: {
    correct: (count: number) =>
      count === 1 ? '1 image was corrected.' : `${images(count)} were corrected.`,
    reassign: (count: number) =>
      count === 1
        ? '1 image was moved to this study.'
        : `${images(count)} were moved to this study.`,
    split: (count: number) =>
      count === 1
        ? '1 image was moved to this study.'
        : `${images(count)} were moved to this study.`,
    merge: (count: number) =>
      count === 1
        ? '1 image was moved to this study.'
        : `${images(count)} were moved to this study.`,
  } satisfies Record<CorrectionKind, (count: number) => string>,

  history: {
    title: 'Identity corrections',
    kinds: {
      correct: 'Details corrected',
      reassign: 'Moved',
      split: 'Split',
      merge: 'Merged',
    } satisfies Record<CorrectionKind, string>,
    here: {
      correct: (count: number) => `${images(count)} in this study`,
      from: (count: number) => `${images(count)} from this study to`,
      to: (count: number) => `${images(count)} to this study from`,
    },
    otherStudy: (end: string) => `study …${end}`,
    by: 'By',
    cause: 'Cause',
    reason: 'Reason',
    changes: 'What changed',
    changesAfter: 'What changes',
    before: 'Before',
    after: 'After',
    underWay: 'In progress',
    underWayText:
      'The images are being copied. Until that has finished, nothing changes. You can leave this page.',
    failed: 'The correction failed',
    failedText: 'Nothing was changed. Repeat the correction.',
    undone: 'Undone',
    undoneBy: 'Undone by',
    undoneReason: 'Reason for undoing',
    noUndo: 'Cannot be undone',
    undo: 'Undo',
    undoAsk: {
      title: 'Undo this correction?',
      action: 'Undo',
      label: 'Reason',
      about: 'Kept in the audit trail.',
      example: 'e.g. the first order was right after all',
    },
    undoText: (count: number) =>
      count === 1
        ? '1 image returns to its study, with the patient and exam details it had before.'
        : `${images(count)} return to their study, with the patient and exam details they had before.`,
    undoDone: 'The correction was undone.',
  },
} as const

export type English = typeof en
