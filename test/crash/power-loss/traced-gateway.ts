import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openContext } from '#server/context.ts'
import { syncFolder } from '#server/database/data-directory.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { openLog } from '#server/platform/log.ts'
import { openGateway } from '#server/server.ts'
import { DEVICE } from '../../support/device.ts'
import { OWNER } from '../../support/gateway.ts'
import { BACKUPS, DATA, RADIOLOGIST, traceClock, UNREACHABLE } from './clinic.ts'

// The process that is traced: a clinic that is set up and served, from an empty folder on. Its
// standard output has a line of JSON for each start; a line of its standard input restarts it.

const [root = '', commitmentPort = ''] = process.argv.slice(2)
const folder = join(root, DATA)
const time = traceClock()
let pause = 0
const clock = () => time() + pause

// Somebody made the folder of the backups, such as on another disk.
mkdirSync(join(root, BACKUPS))
syncFolder(root)

let key: string
{
  using context = openContext({ folder: folder, clock })
  context.settings.change(
    {
      ...{
        'dimse.tlsPort': null,
        'intake.stopGigabytes': 0,
        'intake.warnGigabytes': 0,
        'backup.dailyAt': null,
      },
      ...{ 'clinic.timeZone': 'UTC', 'commitment.isOn': true, 'intake.idleSeconds': 3600 },
    },
    'command-line',
  )
  setPartner(context, { ...UNREACHABLE, allowPlaintext: true }, 'command-line')
  addDevice(
    context,
    {
      ...DEVICE,
      aeTitle: 'CT1',
      name: 'CT room 1',
      address: '127.0.0.1',
      port: Number(commitmentPort),
    },
    'command-line',
  )
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  const names = { firstName: 'Una', lastName: 'Reader' }
  await people.createUser(
    { ...OWNER, ...names, level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
  await people.createUser(
    { ...RADIOLOGIST, ...names, level: 'member', clinicRole: 'Radiologist' },
    'command-line',
  )
  key = createApiKey(
    context,
    { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
    'command-line',
  ).key
}

const open = async () => {
  const gateway = await openGateway({
    ...{ folder, version: '0.0.0', pageFolder: join(root, 'no-page'), clock },
    log: openLog('warn', process.stderr),
    overrides: {
      'http.host': '127.0.0.1',
      'http.port': 0,
      'dimse.host': '127.0.0.1',
      'dimse.port': 0,
    },
  })
  console.log(
    JSON.stringify({ http: gateway.http, dimsePort: Number(gateway.dimse.split(':').at(-1)), key }),
  )
  return gateway
}

let gateway = await open()
for await (const _ of createInterface({ input: process.stdin })) {
  await gateway[Symbol.asyncDispose]()
  // A fast machine would make both backups in the same second, and a backup is named by its second.
  pause = 60_000
  gateway = await open()
}
