import type { ReadinessCheck, SelfFinding, SetupStep } from '#shared/contract/dashboard-setup.ts'

interface StepWords {
  readonly name: string
  readonly title: string
  readonly about: string
  /** What does not work while it is put off. */
  readonly lacks: string
}

export const en = {
  title: 'Set-up',
  stepsLabel: 'Steps of the set-up',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  stepOf: (step: number, all: number) => `Step ${step} of ${all}`,
  states: { done: 'done', open: 'open', later: 'put off' },
  leave: 'Leave the set-up for now',
  leaveAbout: 'It goes on from here whenever you like, also in another browser.',
  back: 'Back',
  later: 'Do this later',
  next: 'Continue',
  until: 'Until then:',
  steps: {
    clinic: {
      name: 'Clinic',
      title: 'Your clinic',
      about:
        'The name stands in this window and on every report. The time zone decides when a day begins.',
      lacks: 'the day of the clinic begins by the clock of this PC, and its name may be missing.',
    },
    owner: {
      name: 'Owner',
      title: 'The owner’s account',
      about: 'The owner may do everything here, and lets others in.',
      lacks: 'nobody can sign in.',
    },
    recovery: {
      name: 'Recovery key',
      title: 'A key for the worst day',
      about:
        'What this gateway keeps is encrypted with a key on this PC. Should its disk die, the recovery key is what opens a back-up on another one.',
      lacks: 'if data.key on this PC is lost, nobody can open the database or its back-ups.',
    },
    network: {
      name: 'Network',
      title: 'Can devices reach this PC?',
      about: 'This PC calls itself as a device would, and looks at what stands in the way.',
      lacks: 'a device may knock at a door that is shut.',
    },
    device: {
      name: 'First device',
      title: 'Connect the first device',
      about:
        'Enter this at the device as its worklist server, then let it do its echo and ask for its worklist. It appears here as it calls.',
      lacks: 'no device gets a worklist.',
    },
    partner: {
      name: 'Partner',
      title: 'Connect the partner',
      about:
        'The system that knows the exams: a RIS, an EHR or a reading service. The gateway asks it each time a device asks for its worklist.',
      lacks: 'worklists are empty and reports are not delivered.',
    },
    backup: {
      name: 'Back-up',
      title: 'The first back-up',
      about:
        'A copy of the database, made while the gateway works on, encrypted, read back and compared.',
      lacks: 'what is on this PC is nowhere else.',
    },
    readiness: {
      name: 'Ready?',
      title: 'Ready for work?',
      about:
        'What is there and what is still missing. You find this list again under Settings, at any time.',
      lacks: 'you are asked to go on with the set-up.',
    },
  } satisfies Record<SetupStep, StepWords>,

  clinic: {
    name: ['Name of the clinic', 'Given to devices as the institution.'],
    language: ['Language of this window', 'On this PC only; others choose their own.'],
    zone: 'Time zone of the clinic',
    now: (time: string) => `Now it is ${time} there.`,
    save: 'Save and continue',
    nothing: 'No time zone is called that',
  },
  owner: {
    made: 'The account is made',
    name: 'Name',
    email: 'E-mail',
    second: 'A second factor makes a stolen password worthless: turn it on under My account.',
    account: 'My account',
  },
  recovery: {
    none: 'There is no recovery key yet',
    noneText:
      'Have paper or a printer at hand: the key is shown once. Keep it away from this PC, where two people can find it.',
    ready: (day: string) => `A recovery key was made on ${day}`,
    readyText:
      'If the sheet is lost, or a wrong person has seen it, make a new one: the old one then opens nothing made from now on.',
    foreign: 'The recovery file does not fit this installation',
    foreignText: 'It is of another data key, or damaged. Make a new one.',
    make: 'Make a recovery key',
    again: 'Make a new one',
    shown: 'Your recovery key',
    shownText: 'Write it down or print it now. It is in force once you have confirmed it below.',
    what: 'the recovery key',
    print: 'Print',
    confirm: 'To be sure that it is on paper, type two groups of it.',
    group: (number: number) => `Group ${number}`,
    confirmAction: 'It is on paper: put it in force',
    cancel: 'Not now',
    sheet: 'Recovery key of Isthmus',
    sheetText:
      'Keep this sheet away from the PC. Whoever has it and a back-up can read everything.',
    sheetUse:
      'Should data.key be lost: copy the newest back-up into an empty folder DIR, and run in the folder of Isthmus:',
    keyLabel: 'Recovery key, eight groups',
  },
  network: {
    test: 'Test again',
    running: 'This PC is calling itself…',
    checks: {
      dicom: 'Listener for devices',
      'dicom-tls': 'Listener by TLS',
      window: 'This window',
      'ae-title': 'AE title',
      addresses: 'Address of this PC',
      echo: 'Echo to itself',
      firewall: 'Firewall',
      clock: 'Clock',
      disk: 'Disk',
    } satisfies Record<SelfFinding['check'], string>,
    command: 'the command',
    asAdmin: 'For an administrator of this PC; use the line that fits its firewall:',
  },
  device: {
    enter: 'Enter at the device',
    aeTitle: 'AE title (called)',
    address: 'Address',
    addressOn: (card: string) => `network card ${card}`,
    noAddress: 'none: this PC is on no network',
    port: 'Port',
    tlsPort: 'Port by TLS',
    what: { aeTitle: 'the AE title', address: 'the address', port: 'the port' },
    listening: 'Listening. No unknown device waits to be let in.',
    devices: 'Devices',
    none: 'A device that calls appears above; let it in there. Then let it ask for its worklist again.',
    called: 'has called',
    notCalled: 'has not called yet',
    asked: (name: string, exams: string) => `${name} asked for its worklist and got ${exams}`,
    askedFailed: (name: string) => `${name} asked for its worklist, and it could not be given`,
    notAsked: (name: string) => `${name} has not asked for its worklist yet`,
    exams: ['exam', 'exams'],
    open: 'See the query',
    play: 'No device at hand? Play one',
    playText:
      'Run this on this PC. The first time it is refused and appears above; let it in, then run it again.',
    dcmtk: 'The same with DCMTK',
    byHand: 'Add a device by hand',
  },
  partner: {
    url: [
      'Address (URL)',
      'Where the partner receives requests, from its documentation. It begins with https://.',
    ],
    plaintext: [
      'Allow plain http or a private address',
      'Only inside the clinic’s own network: by plain http, patient names travel unencrypted.',
    ],
    save: 'Save',
    saved: (url: string) => `The partner is ${url}`,
    secretTitle: 'The signing secret',
    secretText:
      'Enter it at the partner now: it proves that a request comes from this clinic. It is shown only this once.',
    secretWhat: 'the secret',
    secretDone: 'I have entered it at the partner',
    change: 'Change it',
    cancel: 'Cancel',
    none: 'I have none yet',
    noneText:
      'Isthmus brings a small partner with invented exams, to try everything with. It runs until you end it.',
    simulator: 'Use the simulator',
    simulatorTitle: 'Start the simulator',
    simulatorText:
      'Run this on this PC, in the folder of Isthmus, and leave it running. Then send the tests.',
    simulatorSecretText:
      'It waits for the signing secret: paste it, press Enter, then Ctrl+D (on Windows Ctrl+Z and Enter).',
    simulatorWhat: 'the command',
    simulatorDone: 'It is running',
    testAll: 'Send a test of each event',
    test: 'Test',
    testOf: (event: string) => `Test ${event}`,
    testsAbout: 'Each is sent with invented data; the answers have no effect.',
    events: 'Events',
    outcome: { none: 'not tried yet', accepted: 'answered', failed: 'no answer that can be used' },
  },
  backup: {
    folder: [
      'Folder on the PC of the gateway',
      'Best on another disk. It is created if it does not exist.',
    ],
    example: 'e.g. D:\\Isthmus back-ups or /mnt/backup/isthmus',
    use: 'Use this folder',
    used: 'Back-ups go to',
    what: 'What is in it',
    inside:
      'The database, encrypted: studies, reports, people, settings, the audit trail. This PC opens it; on another one the recovery key does, where one was made.',
    outside:
      'Images are not in it: copy the folder “images” of the data folder by your own means, or let a standby copy both.',
    noKey:
      'There is no recovery key yet: this back-up can be opened with the data key of this PC only.',
    byItself:
      'From now on one is made every night. When, for how long each is kept and putting one back: Settings, Back-ups.',
    make: 'Make a back-up now',
    phases: {
      copying: 'Copying the database',
      checking: 'Opening the copy and comparing it',
      encrypting: 'Encrypting',
      comparing: 'Reading it back and comparing',
      rehearsing: 'Trying the newest back-up',
    },
    made: 'The back-up is made',
    failed: 'The back-up was not made',
    list: 'In the folder',
    empty: 'No back-up yet.',
    withKey: 'opens with the recovery key, too',
    withoutKey: 'opens on this PC only',
  },
  readiness: {
    title: 'Readiness',
    about: 'What this installation has, and what it still lacks for daily work.',
    score: (ready: number, all: number) => `${ready} of ${all} are in order`,
    perfect: 'Everything is in order',
    toMend: (count: number) =>
      count === 1 ? 'One point has to be mended' : `${count} points have to be mended`,
    toThink: (count: number) =>
      count === 1 ? 'One point to think about' : `${count} points to think about`,
    groups: { bad: 'To be mended', warn: 'To think about', ok: 'In order' },
    again: 'Look again',
    wizard: 'Go through the set-up again',
    finish: 'Open Isthmus',
    finishAbout: 'The set-up does not come up by itself after that.',
    go: { mend: 'Go there' },
    checks: {
      folder: 'Data folder',
      audit: 'Audit trail',
      settings: 'Settings',
      owner: 'Owner',
      'second-factor': 'Second factor of owners',
      'recovery-key': 'Recovery key',
      'key-store': 'Data key',
      backup: 'Back-up',
      rehearsal: 'Trial of a back-up',
      standby: 'Standby',
      disk: 'Disk',
      clock: 'Clock',
      dicom: 'Listener for devices',
      window: 'This window',
      'dicom-tls': 'DICOM by TLS',
      'lan-access': 'Access from the network',
      device: 'Devices',
      'device-seen': 'First call of a device',
      'device-worklist': 'First worklist',
      'unknown-devices': 'Unknown devices',
      partner: 'Partner',
      'partner-events': 'Events to the partner',
      'public-url': 'Links for others',
      mail: 'Mail',
      native: 'Module for other systems',
    } satisfies Record<ReadinessCheck, string>,
  },
} as const

export type English = typeof en
