import type { KeyStoreState, UpdateState } from '#shared/contract/shell.ts'
import type { Tone } from '../display/tones.ts'

export const en = {
  title: 'This app',
  about:
    'The desktop app on the PC of the gateway: when it starts, where it keeps the data key, and its updates.',
  browser: {
    title: 'This window is open in a browser',
    text: 'Whether the gateway starts with its PC, where the data key is kept and updates are seen to in the desktop app on that PC. A gateway that runs as a service has none: the system starts it, and its packages update it.',
  },
  unreadable: 'The app does not answer. Close its window and open it again from the tray.',
  autostart: [
    'Start with this PC',
    'When somebody signs in on it; the window stays in the tray. Devices are served from then on.',
  ],
  key: 'Data key',
  keyAbout: 'What opens the database and its back-ups.',
  keyStates: {
    platform: {
      tone: 'good',
      name: 'Locked by this account',
      text: 'The key store of this account keeps it locked. A copied disk does not open; on another account or PC the recovery key does.',
    },
    basic: {
      tone: 'warning',
      name: 'Not locked: the key store protects nothing',
      text: 'This PC has a key store without a real lock, so the key stays a file that its owner alone can read. Install and unlock a key ring (GNOME Keyring, KWallet), or encrypt the disk.',
    },
    none: {
      tone: 'warning',
      name: 'Not locked: there is no key store',
      text: 'This PC has no key store, so the key stays a file that its owner alone can read. Encrypt the disk.',
    },
    file: {
      tone: 'warning',
      name: 'A file that its owner alone can read',
      text: 'It is locked by the account once a recovery key is in force: without one, whoever loses the account would lose everything.',
    },
  } satisfies Record<KeyStoreState, { tone: Tone; name: string; text: string }>,
  recovery: 'Make a recovery key',
  update: 'Update',
  version: (version: string) => `This is version ${version}.`,
  updateStates: {
    none: { tone: 'good', name: 'Up to date' },
    'not-here': { tone: 'plain', name: 'Not updated by itself' },
    checking: { tone: 'info', name: 'Asking whether there is a newer one' },
    available: { tone: 'info', name: 'There is a newer one' },
    downloading: { tone: 'info', name: 'It is being fetched' },
    ready: { tone: 'warning', name: 'Ready to be installed' },
    installing: { tone: 'info', name: 'It is being installed' },
    failed: { tone: 'danger', name: 'It could not be had' },
  } satisfies Record<UpdateState['state'], { tone: Tone; name: string }>,
  offered: (version: string) => `Version ${version} is here.`,
  notes: 'What is new',
  noNotes: 'What is new in it stands in CHANGELOG.md of that version.',
  check: 'Look for an update',
  install: 'Install now…',
  installTitle: (version: string) => `Install version ${version} now?`,
  installSteps: [
    'A back-up is made.',
    'No new connection of a device is taken; those that are open end first, for two minutes at most.',
    'The app closes, is replaced, and starts again by itself. Devices get no worklist for about a minute.',
    'Should one of this fail, it stays as it is and says why.',
  ],
  installAction: 'Install now',
  later: 'Later',
  automatic: [
    'Install by itself',
    (at: string) =>
      `In the hour of maintenance, from ${at}, after a back-up. Never while the PC shuts down.`,
  ],
} as const

export type English = typeof en
