import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { countText, numberText } from '../display/amounts.ts'

export const en = {
  title: 'Templates',
  about:
    'A template begins a report; a macro is put in where the caret is. Both are offered where everything given fits the study.',
  add: 'Add template',
  none: 'No template yet',
  noneText:
    'Make one of the text you write most often. Fields such as [size] or {left|right} are filled in with F2.',
  kinds: { template: 'Template', macro: 'Macro' } satisfies Record<ReportTemplate['kind'], string>,
  shows: { all: 'All', template: 'Templates', macro: 'Macros' },
  showLabel: 'Which ones',
  columns: {
    name: 'Name',
    shortcut: 'Shortcut',
    scope: 'Offered for',
    owner: 'Of',
    changed: 'Changed',
    actions: 'Actions',
  },
  everybody: 'Everybody',
  mine: 'Mine',
  anyStudy: 'any study',
  edit: (name: string) => `Edit ${name}`,
  copy: (name: string) => `Copy ${name} to mine`,
  remove: (name: string) => `Remove ${name}`,
  removeTitle: 'Remove this template?',
  removeAction: 'Remove it',
  removeText: (name: string) =>
    `“${name}” is offered to nobody any more. Reports written with it stay as they are.`,
  sexes: { male: 'men', female: 'women', other: 'other sex' },
  ages: (from: number | null, to: number | null) =>
    from !== null && to !== null
      ? `${from} to ${to} years`
      : from !== null
        ? `from ${from} years`
        : `to ${to} years`,
  quoted: (word: string) => `“${word}”`,
  removed: (name: string) => `“${name}” was removed.`,
  saved: (name: string) => `“${name}” is saved.`,
  exporting: {
    button: 'Export',
    mine: 'All of mine',
    everybody: 'Everybody’s',
  },
  importing: {
    button: 'Import',
    title: 'Import templates and macros',
    for: 'Who they are for',
    forMine: 'For me',
    forEverybody: 'For everybody',
    becomeMine: 'They become yours. For everybody, an owner or administrator imports them.',
    takeAll: (count: number) =>
      count === 1 ? 'Take the one that clashes' : `Take all ${numberText(count)} that clash`,
    columns: {
      name: 'In the file',
      standing: 'Compared with what is there',
      choice: 'What is done',
    },
    standings: {
      new: 'New',
      same: 'There already',
      name: 'Name is taken',
      shortcut: 'Shortcut is taken',
      both: 'Name and shortcut are taken',
      repeated: 'Twice in the file',
      faulty: 'Cannot be taken',
    },
    meanings: {
      new: 'Nothing there has its name or its shortcut.',
      same: 'The one with this name says the same.',
      name: 'Another text has this name. Replacing it cannot be undone.',
      shortcut: 'Another one has this shortcut. It can be added without one.',
      both: 'One has the name, another the shortcut. Who is replaced keeps its own shortcut.',
      repeated: 'An earlier entry of the file has the same name or shortcut.',
      faulty: 'Something in it is not as this gateway needs it.',
    },
    choices: {
      add: 'Add',
      replace: 'Replace the one there',
      plain: 'Add without the shortcut',
      leave: 'Leave out',
    },
    choiceOf: (name: string) => `What is done with ${name}`,
    entry: (at: number) => `Entry ${at}`,
    summary: (added: number, replaced: number, left: number) =>
      `${numberText(added)} added, ${numberText(replaced)} replaced, ${numberText(left)} left out`,
    progress: (done: number, all: number) => `${numberText(done)} of ${numberText(all)}`,
    action: (count: number) => `Import ${numberText(count)}`,
    done: (count: number) => `${countText(count, 'entry was', 'entries were')} imported.`,
    kept: 'Imported',
    notKept: 'Not imported',
    cancel: 'Cancel',
    close: 'Done',
    faults: {
      unreadable: 'The file could not be read. Choose it again.',
      tooBig: 'The file is larger than 20 MB, which is more than 500 templates need.',
      notJson: 'The file is not JSON. Choose one that was exported here.',
      notOurs:
        'The file holds no templates of this gateway. Choose one that was exported on this screen.',
      empty: 'The file holds no template.',
      tooMany: 'The file holds more than 500 templates. Divide it.',
    },
  },
  form: {
    addTitle: 'New template',
    what: 'What is put in',
    kind: 'Kind',
    for: 'For',
    forMine: 'Me',
    forEverybody: 'Everybody',
    name: ['Name', 'As it is offered.'],
    shortcut: ['Shortcut', 'Typed, then Tab: letters, digits, _ . or -.'],
    scope: 'Offered for',
    scopeAbout: 'What is left empty fits every study. The more fits, the further up it is offered.',
    modalities: ['Modalities', 'e.g. CT, MR; Enter after each.'],
    keywords: ['Words of the description', 'Any of them; Enter after each.'],
    sex: ['Sex', 'Of the patient.'],
    anySex: 'any',
    ageFrom: ['From age', 'Years, included.'],
    ageTo: ['To age', 'Years, included.'],
    text: [
      'Text',
      'Fields: [size], [ ], {left|right}. Variables: {patientName} {age} {sex} {scanDate} {indication} {comparison} {referringPhysician}.',
    ],
    preview: 'As it looks in a report',
    previewNone: 'The text appears here as you write it.',
    save: 'Save',
    add: 'Add',
    cancel: 'Cancel',
  },
  /** For the preview; nobody real. */
  example: {
    patientName: 'EXAMPLE, Erika',
    age: '54 years',
    sex: 'female',
    scanDate: '20 Nov 2026',
    indication: 'Cough for three weeks',
    comparison: 'CT thorax of 12 Mar 2025',
    referringPhysician: 'Dr. Adeyemi',
  },
} as const

export type English = typeof en
