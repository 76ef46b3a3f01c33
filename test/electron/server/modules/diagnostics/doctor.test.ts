import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { runDoctor } from '#server/modules/diagnostics/doctor.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { webhookSecret } from '../../../../support/gateway.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'

/**
 * After the program was made, by the clock of the file system, which a test that shifts `Date` does
 * not shift.
 */
const clock = () => Math.max(Date.now(), statSync(OWN_STATE).mtimeMs + 60_000)
const OWN_STATE = join(
  import.meta.dirname,
  '../../../../../electron/server/modules/diagnostics/host-checks.ts',
)
const LISTENING = {
  dimse: '127.0.0.1:104',
  dimseTls: '127.0.0.1:2762',
  http: 'http://127.0.0.1:8042',
}

it('says of an empty installation what is to be mended', async () => {
  using temp = tempDataFolder()
  using context = openContext({ folder: temp.folder, clock })
  const lines = await runDoctor(context, LISTENING, undefined, undefined)
  expect(lines.filter((line) => line.startsWith('fix '))).toEqual([
    expect.stringContaining('No one can sign in yet'),
    expect.stringContaining('There is no device in the device list'),
    expect.stringContaining('No partner is configured'),
  ])
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^note {2}There is no recovery key/),
      expect.stringMatching(/^note {2}No folder for backups has been chosen/),
      expect.stringMatching(/^note {2}No device has received its worklist recently/),
    ]),
  )
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringContaining(`ok    The data folder is ${temp.folder}`),
      'ok    The audit log is complete and unchanged: 0 entries.',
      'ok    The DICOM listener is running at 127.0.0.1:104.',
      'ok    Isthmus is running at http://127.0.0.1:8042.',
    ]),
  )
})

it('finds nothing to mend where everything is set', async () => {
  using temp = tempDataFolder()
  using context = openContext({
    folder: temp.folder,
    clock,
    overrides: { 'dimse.host': '127.0.0.1', 'dimse.port': 0, 'http.port': 0 },
  })
  const password = 'a long and quiet evening'
  await openAccounts(context).createUser(
    {
      email: 'o@clinic.example',
      firstName: 'O',
      lastName: 'O',
      level: 'owner',
      clinicRole: 'Other',
      password,
    },
    'command-line',
  )
  setPartner(
    context,
    { url: 'https://partner.example/hook', secret: webhookSecret(), allowPlaintext: false },
    'command-line',
  )
  addDevice(context, NewDevice.parse({ aeTitle: 'CT1' }), 'command-line')
  context.settings.change({ 'http.publicUrl': 'https://gateway.clinic.example' }, 'command-line')
  const lines = await runDoctor(context, undefined, undefined, undefined)
  expect(lines.filter((line) => line.startsWith('fix '))).toEqual([])
  expect(lines).toEqual(
    expect.arrayContaining([
      'ok    Partner address: https://partner.example/hook',
      'ok    One device is in the device list.',
      'ok    Unknown devices can only test the connection.',
    ]),
  )
})

it('says so where the partner has an address and no signing secret', async () => {
  using temp = tempDataFolder()
  using context = openContext({ folder: temp.folder, clock })
  const url = 'https://partner.example/hook'
  setPartner(context, { url, secret: webhookSecret(), allowPlaintext: false }, 'command-line')
  context.database.run(context.database.sql.deleteFrom('endpointSecrets'))
  expect(await runDoctor(context, LISTENING, undefined, undefined)).toContain(
    `fix   The partner ${url} has no signing secret: no request can be sent to it, so devices get no worklist. Enter its signing secret under Partner.`,
  )
})

it('names the program that has a port, and notes a setting meant for tests', async () => {
  using temp = tempDataFolder()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const overrides = {
    'dimse.host': '127.0.0.1',
    'dimse.port': port,
    'http.port': 0,
    'dimse.allowUnknownDevices': true,
  }
  using context = openContext({ folder: temp.folder, clock, overrides })
  const lines = await runDoctor(context, undefined, undefined, undefined)
  await new Promise((resolve) => server.close(resolve))
  expect(lines.find((line) => line.startsWith('fix   The DICOM listener'))).toMatch(
    new RegExp(
      `cannot use 127\\.0\\.0\\.1:${port}: it is used by \\S+, process ${process.pid}\\. Choose another port with config set dimse\\.port`,
    ),
  )
  expect(lines).toContainEqual(expect.stringContaining('note  Unknown devices are served'))
})
