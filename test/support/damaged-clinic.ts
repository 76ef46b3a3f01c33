import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { makeBackup, type StoredBackup } from '#server/modules/backups/make-backup.ts'
import { RecoveryKeySetup } from '#server/modules/backups/recovery-key-setup.ts'
import { openRescueHint } from '#server/modules/backups/rescue-hint.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { DEVICE } from './device.ts'
import { OWNER } from './gateway.ts'
import { prepareDataFolder } from './temp-store.ts'

const PAGE = 4096

/** What can befall a data folder. Each leaves the rest of it alone. */
export const DAMAGES = {
  'pages overwritten in the middle': (folder: string) => {
    const file = join(folder, DATABASE_FILE)
    const pages = Math.floor(statSync(file).size / PAGE)
    const handle = openSync(file, 'r+')
    for (let page = Math.floor(pages / 3); page < Math.floor(pages / 2); page++)
      writeSync(handle, randomBytes(PAGE), 0, PAGE, page * PAGE)
    closeSync(handle)
  },
  'a file cut off': (folder: string) =>
    truncateSync(
      join(folder, DATABASE_FILE),
      Math.floor(statSync(join(folder, DATABASE_FILE)).size / 2),
    ),
  'a beginning overwritten': (folder: string) => {
    const handle = openSync(join(folder, DATABASE_FILE), 'r+')
    writeSync(handle, randomBytes(PAGE), 0, PAGE, 0)
    closeSync(handle)
  },
  'another data key': (folder: string) => writeFileSync(join(folder, KEY_FILE), randomBytes(32)),
  'no data key': (folder: string) => rmSync(join(folder, KEY_FILE)),
} as const
export type Damage = keyof typeof DAMAGES
/** Those that the recovery key alone mends. */
export const OF_THE_KEY: readonly Damage[] = ['another data key', 'no data key']

export interface Clinic {
  /** The data folder, and the one for backups. */
  readonly folder: string
  readonly backupFolder: string
  readonly recoveryKey: string
  readonly backup: StoredBackup
}

/**
 * A clinic with an owner and CT1, a recovery key, and a backup; CT2 came after it. Both folders
 * are below `root`.
 */
export async function clinicWithBackup(root: string): Promise<Clinic> {
  const [folder, backupFolder] = [join(root, 'data'), join(root, 'backups')]
  mkdirSync(backupFolder)
  prepareDataFolder(folder)
  using context = openContext({ folder })
  context.settings.change(
    {
      'dimse.tlsPort': null,
      'intake.stopGigabytes': 0,
      'intake.warnGigabytes': 0,
      'backup.folder': backupFolder,
    },
    'command-line',
  )
  openRescueHint(context)()
  // A cheap hash: the tests are about other things than the price of a password.
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  await people.createUser(
    { ...OWNER, firstName: 'Olga', lastName: 'Owner', level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
  addDevice(context, { ...DEVICE, aeTitle: 'CT1' }, 'command-line')
  const recovery = new RecoveryKeySetup(context)
  const { recoveryKey, asked } = recovery.make('command-line')
  recovery.confirm(
    asked.map((group) => recoveryKey.split('-')[group] ?? ''),
    'command-line',
  )
  const backup = await makeBackup(context, backupFolder, 'by-hand', '0.0.0')
  addDevice(context, { ...DEVICE, aeTitle: 'CT2' }, 'command-line')
  return { folder, backupFolder, recoveryKey, backup }
}

export const digestOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')

/** Folders in the data folder that hold what was moved aside. */
export const keptAside = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith('replaced-'))
