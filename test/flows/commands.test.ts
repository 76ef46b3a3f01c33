import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { openApiKeys } from '#server/modules/api-keys/api-keys.ts'
import { DATA_COMMANDS } from '#server/modules/control/commands.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { signatureHeaders } from '#server/webhooks/signature.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { DestinationPatch, dashboardDestinations } from '#shared/contract/destinations.ts'
import { DevicePatch, NewDevice } from '#shared/contract/devices.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { isthmus, type Ran, running, serving } from '../support/command-line.ts'
import {
  followLink,
  OWNER,
  type StartedGateway,
  signIn,
  webhookSecret,
} from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import { tempFolder } from '../support/temp-store.ts'
import { rejectionOf } from '../support/worklist-client.ts'

// The command line as an administrator or a script uses it: every command is a process of its own,
// of a second or more of a busy machine.
vi.setConfig({ testTimeout: 180_000 })

const USER = [
  '--email',
  OWNER.email,
  '--first-name',
  'Olga',
  '--last-name',
  'Owner',
  '--level',
  'owner',
  '--password-stdin',
]
/** Made at once, each by a process of its own: more than the machine has cores. */
const KEYS = 8
const KEY = /^sk_live_[0-9a-f]{32}\n$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n$/

/** Says what is wrong in one line, to standard error alone. */
function expectSentence(
  { exitCode, stdout, stderr }: Ran,
  code: number,
  words: string | RegExp,
): void {
  expect(stderr).toMatch(words)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
}

/** A destination that is not reached: it is disabled. */
function configurationFile(folder: string): string {
  const file = join(folder, 'clinic.yaml')
  writeFileSync(
    file,
    `settings:
  clinic.name: Example clinic
devices:
  - aeTitle: MR7
    address: 127.0.0.0/8
    modality: MR
destinations:
  - {name: PACS, aeTitle: PACS, host: 127.0.0.1, port: 104, isEnabled: false}
`,
  )
  return file
}

/** Every data command once, with what it prints. */
async function everyCommand(folder: string): Promise<Record<string, Ran>> {
  const run = (words: string, args: readonly string[] = [], input = '') =>
    isthmus([...words.split(' '), '--data', folder, ...args], input)
  return {
    'welcome link': await run('sign-in-link'),
    'user create': await run('user create', USER, `${OWNER.password}\n`),
    'sign-in-link': await run('sign-in-link', ['--email', OWNER.email.toUpperCase()]),
    'no link': await run('sign-in-link', ['--if-no-owner']),
    'api-key create': await run('api-key create', [
      '--description',
      'RIS',
      '--viewer',
      '--scope',
      'self',
    ]),
    'device add': await run('device add', [
      '--ae-title',
      'MR7',
      '--address',
      '127.0.0.0/8',
      '--modality',
      'mr',
      '--character-set',
      'ISO_IR 100',
    ]),
    'config set': await run('config set', ['worklist.freshSeconds', '0']),
    'config get': await run('config get', ['worklist.freshSeconds']),
    apply: await run('apply', [configurationFile(folder)]),
    'applied again': await run('apply', [configurationFile(folder)]),
    'config export': await run('config export'),
    doctor: await run('doctor'),
  }
}

function expectEveryCommand(ran: Record<string, Ran>): void {
  for (const [name, { exitCode, stderr }] of Object.entries(ran))
    expect({ name, exitCode, stderr }).toEqual({ name, exitCode: 0, stderr: '' })
  const printed = Object.fromEntries(
    Object.entries(ran).map(([name, { stdout }]) => [name, stdout]),
  )
  expect(printed).toMatchObject({
    'welcome link': expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:\d+\/#\/welcome\?token=\S{20,}\n$/,
    ),
    'user create': expect.stringMatching(/^usr_[0-9a-f]{32}\n$/),
    'sign-in-link': expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:\d+\/#\/sign-in\?token=\S{20,}\n$/,
    ),
    'no link': '',
    'api-key create': expect.stringMatching(KEY),
    'device add': expect.stringMatching(UUID),
    'config set': 'worklist.freshSeconds = 0\n',
    'config get': '0\n',
    apply: 'Changed:\n~ clinic.name: "" -> "Example clinic"\n+ destination PACS\n',
    'applied again': 'Nothing to change.\n',
    'config export': expect.stringContaining('clinic.name: Example clinic\n'),
  })
}

/** What the commands left in the folder. */
function expectEffects(folder: string, key: string): void {
  using context = openContext({ folder })
  expect(allUsers(context.database)).toMatchObject([
    { email: OWNER.email, firstName: 'Olga', level: 'owner' },
  ])
  expect(openApiKeys(context).authenticate(key)).toMatchObject({
    description: 'RIS',
    isViewerEnabled: true,
    scope: 'self',
  })
  expect(listDevices(context.database)).toMatchObject([
    { aeTitle: 'MR7', address: '127.0.0.0/8', modality: 'MR', characterSet: 'ISO_IR 100' },
  ])
  expect(
    context.audit.list({ limit: 100 }).items.map(({ actor, action }) => `${actor} ${action}`),
  ).toEqual(
    expect.arrayContaining(
      ['user.create', 'api-key.create', 'device.add', 'setting.change'].map(
        (action) => `command-line ${action}`,
      ),
    ),
  )
}

it('carries out every data command on a folder that no gateway runs on', async () => {
  using temp = tempFolder()
  const folder = join(temp.folder, 'made', 'by the command')
  const ran = await everyCommand(folder)
  expectEveryCommand(ran)
  expectEffects(folder, ran['api-key create']?.stdout.trim() ?? '')
  expect(ran.doctor?.stdout).toMatch(/The DICOM listener can(not)? use 0\.0\.0\.0:11112/)
  expect(ran.doctor?.stdout).toContain('No partner is configured')
})

it('carries out every data command in the gateway that runs, where it takes effect at once', async () => {
  using temp = tempFolder()
  await using gateway = await serving(temp.folder)
  expect(await rejectionOf(gateway.dimsePort, { callingAeTitle: 'MR7' })).toBe('1/1/3')
  const ran = await everyCommand(temp.folder)
  expectEveryCommand(ran)
  expect(ran.doctor?.stdout).toContain(
    `ok    The DICOM listener is running at 127.0.0.1:${gateway.dimsePort}.`,
  )
  expect(ran.doctor?.stdout).toContain(`ok    Isthmus is running at ${gateway.http}.`)

  expect(await rejectionOf(gateway.dimsePort, { callingAeTitle: 'MR7' })).toBe('A-ASSOCIATE-AC')
  const call = await followLink(ran['sign-in-link']?.stdout ?? '')
  expect((await call(dashboard.session, {})).user).toMatchObject({ email: OWNER.email })
  const { settings } = await call(dashboard.settings, {})
  expect(settings.find(({ key }) => key === 'worklist.freshSeconds')?.value).toBe(0)
  await expect(followLink(ran['sign-in-link']?.stdout ?? '')).rejects.toThrow(/no session: 422/)
  await expect(signIn(gateway.http)).resolves.toBeTypeOf('function')
  expect(await gateway.end('SIGTERM')).toBe(0)
  expectEffects(temp.folder, ran['api-key create']?.stdout.trim() ?? '')
})

/** Adds devices in the window, one after the other, until it is told to stop; their AE titles. */
async function addDevices(call: StartedGateway['call'], isOver: () => boolean): Promise<string[]> {
  const added: string[] = []
  while (!isOver()) {
    const { aeTitle } = await call(dashboard.addDevice, {
      body: NewDevice.parse({ aeTitle: `D${added.length}` }),
    })
    added.push(aeTitle)
  }
  return added
}

it('makes eight keys at once while the running gateway is busy with other creates, and all of them are kept', async () => {
  using temp = tempFolder()
  await isthmus(['user', 'create', '--data', temp.folder, ...USER], OWNER.password)
  await using gateway = await serving(temp.folder)
  let isOver = false
  const devices = addDevices(await signIn(gateway.http), () => isOver)
  const create = (n: number) =>
    isthmus(['api-key', 'create', '--data', temp.folder, '--description', `key ${n}`])
  const ran = await Promise.all(Array.from({ length: KEYS }, (_, n) => create(n)))
  isOver = true
  const added = await devices

  expect(ran.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    Array(KEYS).fill({ exitCode: 0, stderr: '' }),
  )
  const keys = ran.map(({ stdout }) => stdout.trim())
  expect(new Set(keys).size).toBe(KEYS)
  expect(await gateway.end('SIGTERM')).toBe(0)
  using context = openContext({ folder: temp.folder })
  expect(keys.map((key) => openApiKeys(context).authenticate(key)?.description)).toEqual(
    Array.from({ length: KEYS }, (_, n) => `key ${n}`),
  )
  expect(added.length).toBeGreaterThan(0)
  expect(listDevices(context.database)).toHaveLength(added.length)
  expect(context.audit.verify().isIntact).toBe(true)
})

it('lets commands that come at the same time wait for each other where no gateway runs', async () => {
  using temp = tempFolder()
  const add = (n: number) =>
    isthmus(['device', 'add', '--data', temp.folder, '--ae-title', `CT${n}`])
  const ran = await Promise.all(Array.from({ length: 6 }, (_, n) => add(n)))
  expect(ran.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    Array(6).fill({ exitCode: 0, stderr: '' }),
  )
  using context = openContext({ folder: temp.folder })
  expect(listDevices(context.database)).toHaveLength(6)
})

it('runs one gateway on a folder: a second one says so and the first goes on', async () => {
  using temp = tempFolder()
  await using gateway = await serving(temp.folder)
  const second = await isthmus([
    'serve',
    '--data',
    temp.folder,
    '--http',
    '127.0.0.1:0',
    '--dimse',
    '127.0.0.1:0',
    '--dimse-tls',
    'off',
  ])
  expectSentence(
    second,
    1,
    `Another instance of Isthmus is already using the data folder ${temp.folder}.`,
  )
  expect((await httpCall(`${gateway.http}/dashboard/session`)).status).toBe(200)
})

it('names the program that holds a port', async () => {
  using temp = tempFolder()
  await using gateway = await serving(join(temp.folder, 'a'))
  const holder = `node (process ${gateway.child.pid}) already uses that port`
  const elsewhere = ['serve', '--data', join(temp.folder, 'b')]
  const { port } = new URL(gateway.http)
  const [dimse, http, doctor] = await Promise.all([
    isthmus([
      ...elsewhere,
      '--http',
      '127.0.0.1:0',
      '--dimse',
      `127.0.0.1:${gateway.dimsePort}`,
      '--dimse-tls',
      'off',
    ]),
    isthmus([
      'serve',
      '--data',
      join(temp.folder, 'c'),
      '--http',
      `127.0.0.1:${port}`,
      '--dimse',
      '127.0.0.1:0',
      '--dimse-tls',
      'off',
    ]),
    isthmus(['config', 'set', '--data', join(temp.folder, 'd'), 'http.port', port]).then(() =>
      isthmus(['doctor', '--data', join(temp.folder, 'd')]),
    ),
  ])
  expectSentence(
    dimse,
    1,
    `The DIMSE listener cannot use 127.0.0.1:${gateway.dimsePort}: ${holder}`,
  )
  expectSentence(http, 1, `The HTTP listener cannot use 127.0.0.1:${port}: ${holder}`)
  expect(doctor.stdout).toContain(
    `fix   Isthmus cannot use 127.0.0.1:${port}: it is used by node, process ${gateway.child.pid}.`,
  )
})

it('says of a folder that cannot be used why', async () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'file')
  writeFileSync(file, 'no folder')
  const locked = join(temp.folder, 'locked')
  mkdirSync(locked)
  chmodSync(locked, 0o500)
  // Root may write everywhere but there.
  const readOnly = process.getuid?.() === 0 ? '/proc/isthmus' : locked
  const foreign = join(temp.folder, 'foreign')
  mkdirSync(foreign)
  writeFileSync(
    join(foreign, 'gateway.sqlite'),
    'this is no database, but somebody wants to keep it',
  )
  const serve = (folder: string, http = '127.0.0.1:0') =>
    isthmus([
      'serve',
      '--data',
      folder,
      '--http',
      http,
      '--dimse',
      '127.0.0.1:0',
      '--dimse-tls',
      'off',
    ])
  const [ofFile, beneath, ofReadOnly, ofForeign, ofCommand, toEverybody] = await Promise.all([
    serve(file),
    serve(join(file, 'beneath')),
    serve(readOnly),
    serve(foreign),
    isthmus(['doctor', '--data', file]),
    serve(file, '0.0.0.0:0'),
  ])
  expectSentence(ofFile, 1, `The folder ${file} cannot be used`)
  expectSentence(beneath, 1, `The folder ${join(file, 'beneath')} cannot be used`)
  expectSentence(ofReadOnly, 1, `The folder ${readOnly} cannot be`)
  expectSentence(ofForeign, 1, 'data.key is missing')
  expectSentence(ofCommand, 1, `The folder ${file} cannot be used`)
  // Said before anything is opened.
  const [warning, sentence] = toEverybody.stderr.split('\n')
  expect(warning).toMatch(
    /^Warning: --http 0\.0\.0\.0 opens the window to the network without encryption: passwords and patient data/,
  )
  expect(sentence).toContain(`The folder ${file} cannot be used`)
})

it('refuses a wrong use in one sentence, with 2', async () => {
  using temp = tempFolder()
  const empty = join(temp.folder, 'empty')
  writeFileSync(empty, '\n')
  const serve = ['serve', '--data', temp.folder]
  const uses: [args: string[], words: string | RegExp][] = [
    [['serve'], 'serve needs --data DIR'],
    [
      [...serve, '--http', '8042'],
      '--http takes HOST:PORT, such as 127.0.0.1:8042; “8042” is not of that form.',
    ],
    [
      [...serve, '--ae-title', 'FAR TOO LONG FOR AN AE'],
      '--ae-title: “FAR TOO LONG FOR AN AE” must be 1 to 16 ASCII characters',
    ],
    [
      [
        ...serve,
        '--partner-url',
        'http://127.0.0.1:1/',
        '--partner-secret-file',
        join(temp.folder, 'none'),
      ],
      /could not be read \(ENOENT\)/,
    ],
    [
      [...serve, '--partner-url', 'http://127.0.0.1:1/', '--partner-secret-file', empty],
      'is empty',
    ],
    [['device', 'add', '--ae-title', 'CT1'], 'device add needs --data DIR'],
    [
      ['simulator', 'partner', '--port', '0', '--secret', 'hunter2'],
      'whsec_ and the base64 of 24 to 64 bytes',
    ],
    [['simulator', 'partner', '--port', '0'], 'needs --secret-file or --secret-stdin'],
    [['simulator', 'partner', '--port', '0', '--secret-file', empty], 'is empty'],
    [
      ['simulator', 'partner', '--port', '0', '--secret-file', empty, '--secret-stdin'],
      'Give one of',
    ],
  ]
  const ran = await Promise.all(uses.map(([args]) => isthmus(args)))
  for (const [index, [, words]] of uses.entries()) expectSentence(ran[index] as Ran, 2, words)

  const unknown = await isthmus(['frobnicate'])
  expect(unknown).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('There is no command “frobnicate”.'),
  })
  const option = await isthmus([...serve, '--htpp', '127.0.0.1:0'])
  expect(option).toMatchObject({ exitCode: 2, stdout: '' })
  expect(option.stderr).toMatch(
    /^Unknown option '--htpp'[^\n]*\n\nUsage: isthmus serve --data DIR /,
  )
  const ofCommand = await isthmus(['device', 'add', '--help'])
  expect(ofCommand).toMatchObject({ exitCode: 0, stderr: '' })
  expect(ofCommand.stdout).toMatch(/^Usage: isthmus device add --data DIR --ae-title TEXT/)
  const help = await isthmus(['--help'])
  expect(help).toMatchObject({ exitCode: 0, stderr: '' })
  for (const command of ['serve', 'simulator partner', ...Object.keys(DATA_COMMANDS)])
    expect(help.stdout).toContain(`\n  ${command} `)
})

it('refuses what may not be, with 1, and changes nothing', async () => {
  using temp = tempFolder()
  const { folder } = temp
  const partner = (url: string, secret = webhookSecret()) =>
    isthmus([
      'serve',
      '--data',
      folder,
      '--http',
      '127.0.0.1:0',
      '--dimse',
      '127.0.0.1:0',
      '--dimse-tls',
      'off',
      '--partner-url',
      url,
      '--partner-secret',
      secret,
    ])
  const user = (args: readonly string[], input: string) =>
    isthmus(['user', 'create', '--data', folder, ...args], input)
  expect(await user(USER, 'short')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('must have at least 10 characters'),
  })
  expect(await user(USER.slice(0, -1), OWNER.password)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--password'),
  })
  expect(
    await user([...USER.slice(0, 6), '--level', 'king', '--password-stdin'], OWNER.password),
  ).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--level'),
  })
  const refusals: [args: string[], words: string][] = [
    [['config', 'set', 'worklist.freshSeconds', 'soon'], 'worklist.freshSeconds was not changed'],
    [['config', 'set', 'clinic.timeZone', 'Europe/Atlantis'], 'must be an IANA time zone'],
    [['config', 'set', 'clinic.nmae', 'x'], 'There is no setting “clinic.nmae”.'],
    [['config', 'set', 'clinic.name'], 'config set takes KEY VALUE.'],
  ]
  const refused = await Promise.all(refusals.map(([args]) => isthmus([...args, '--data', folder])))
  for (const [index, [, words]] of refusals.entries())
    expectSentence(refused[index] as Ran, 1, words)
  expect(
    await isthmus(['device', 'add', '--data', folder, '--ae-title', 'CT1', '--address', 'ten']),
  ).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--address: must be an IP address'),
  })
  expectSentence(
    await partner('nonsense'),
    1,
    'The partner was not configured. The address must be a URL.',
  )
  expect(await partner('http://127.0.0.1:1/', 'whsec_c2hvcnQ=')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('The secret does not have the form of Standard Webhooks.'),
  })
  const elsewhere = [
    '--http',
    'no-such-host.invalid:0',
    '--dimse',
    '127.0.0.1:0',
    '--dimse-tls',
    'off',
  ]
  expect(await isthmus(['serve', '--data', folder, ...elsewhere])).toMatchObject({
    exitCode: 1,
    // After the warning that this is no address of this PC alone.
    stderr: expect.stringMatching(/^Warning: .*\n.*this PC does not have that address.*\n$/),
  })
  using context = openContext({ folder })
  expect(context.audit.list({ limit: 10 }).items).toEqual([])
})

it('keeps a setting as it was given, text or JSON', async () => {
  using temp = tempFolder()
  const set = (key: string, value: string) =>
    isthmus(['config', 'set', '--data', temp.folder, key, value])
  const values: [key: string, given: string, printed: string][] = [
    ['clinic.name', 'Clinic of St. Ann', '"Clinic of St. Ann"'],
    ['clinic.name', '4711', '"4711"'],
    ['dimse.allowUnknownDevices', 'true', 'true'],
    ['http.allowedHosts', '["gateway.clinic.example"]', '["gateway.clinic.example"]'],
    ['http.publicUrl', 'https://gateway.clinic.example', '"https://gateway.clinic.example"'],
    ['http.publicUrl', 'null', 'null'],
  ]
  for (const [key, given, printed] of values)
    expect(await set(key, given)).toEqual({
      exitCode: 0,
      stdout: `${key} = ${printed}\n`,
      stderr: '',
    })
  const all = (await isthmus(['config', 'get', '--data', temp.folder])).stdout
  expect(all).toContain('clinic.name = "4711"\n')
  expect(all).toContain('worklist.freshSeconds = 15\n')
})

it('simulates a partner that answers what is signed and nothing else', async () => {
  using temp = tempFolder()
  const secret = webhookSecret()
  const worklist = join(temp.folder, 'worklist.json')
  writeFileSync(worklist, JSON.stringify({ items: [{ AccessionNumber: 'MINE' }] }))
  const secretFile = join(temp.folder, 'secret')
  writeFileSync(secretFile, `${secret}\n`)
  const args = ['simulator', 'partner', '--port', '0', '--secret-file', secretFile]
  await using simulator = await running([...args, '--worklist', worklist])
  const data = {
    callingAe: 'CT1',
    clinicId: crypto.randomUUID(),
    dateStart: '2026-11-20',
    dateEnd: '2026-11-20',
    sourceIp: '127.0.0.1',
  }
  const id = `whe_${'0'.repeat(32)}`
  const body = Buffer.from(JSON.stringify({ id, type: 'modality_worklist.requested', data }))
  const ask = (headers: Record<string, string>) =>
    httpCall(simulator.http, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const signed = (by: string) => ({
    ...signatureHeaders({ id, at: Date.now(), body, secrets: [by] }),
  })

  expect(await ask(signed(secret))).toMatchObject({
    status: 200,
    json: { authorized: true, items: [{ AccessionNumber: 'MINE' }] },
  })
  expect(await ask({})).toMatchObject({ status: 400 })
  expect(await ask(signed(webhookSecret()))).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('signature') },
  })
  const { port } = new URL(simulator.http)
  expectSentence(
    await isthmus(['simulator', 'partner', '--port', port, '--secret-stdin'], secret),
    1,
    `cannot use 127.0.0.1:${port}: node (process ${simulator.child.pid}) already uses that port`,
  )
  expect(await simulator.end('SIGTERM')).toBe(0)
})

const pem = (folder: string, name: string): { file: string; text: string } => {
  const file = join(folder, `${name}.pem`)
  const text = selfSignedCertificate([name]).cert
  writeFileSync(file, text)
  return { file, text: text.trim() }
}

/** Every field of the contract, each with another value than its initial one. */
const everyField = (folder: string) => {
  const [ofDevice, ofDestination] = [pem(folder, 'device'), pem(folder, 'destination')]
  const device: DevicePatch = {
    ...{ aeTitle: 'CT1', address: '10.0.3.0/24', name: 'CT, room 1', modality: 'CT' },
    ...{ isEnabled: false, characterSet: 'ISO_IR 192', stationMode: 'strict' },
    ...{ alwaysSendCharacterSet: true, daysBack: 1, daysForward: 2, maxRows: 300, port: 104 },
    ...{ profile: 'ge', hideStarted: true, countsBytes: true, tls: 'mutual', retrieval: 'query' },
    certificate: ofDevice.text,
  }
  const destination: DestinationPatch = {
    ...{ name: 'PACS', aeTitle: 'ARCHIVE', host: 'pacs.clinic.example', port: 2762 },
    ...{ isTls: true, isEnabled: false, isAutomatic: true, modalities: ['CT', 'MR'] },
    ...{ hasPriors: true, confirmsStorage: true, certificate: ofDestination.text },
  }
  const deviceOptions = [
    ...['--ae-title', 'CT1', '--address', '10.0.3.0/24', '--name', 'CT, room 1'],
    ...['--modality', 'ct', '--no-enabled', '--character-set', 'ISO_IR 192'],
    ...['--station-mode', 'strict', '--always-send-character-set', '--days-back', '1'],
    ...['--days-forward', '2', '--max-rows', '300', '--port', '104', '--profile', 'ge'],
    ...['--hide-started', '--counts-bytes', '--tls', 'mutual', '--retrieval', 'query'],
    ...['--certificate-file', ofDevice.file],
  ]
  const destinationOptions = [
    ...['--name', 'PACS', '--ae-title', 'ARCHIVE', '--host', 'pacs.clinic.example'],
    ...['--port', '2762', '--tls', '--no-enabled', '--automatic', '--modalities', 'ct'],
    ...[
      '--modalities',
      'mr',
      '--has-priors',
      '--confirms-storage',
      '--certificate-file',
      ofDestination.file,
    ],
  ]
  return { device, destination, deviceOptions, destinationOptions }
}

it('sets up a device and a destination with every field, which the window then has', async () => {
  using temp = tempFolder()
  const data = join(temp.folder, 'data')
  const { device, destination, deviceOptions, destinationOptions } = everyField(temp.folder)
  expect(Object.keys(device).toSorted()).toEqual(Object.keys(DevicePatch.shape).toSorted())
  expect(Object.keys(destination).toSorted()).toEqual(
    Object.keys(DestinationPatch.shape).toSorted(),
  )
  const run = async (words: string, args: readonly string[] = []) => {
    const ran = await isthmus([...words.split(' '), '--data', data, ...args])
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    return ran.stdout.trim()
  }
  // The device without a gateway, the destination with one.
  const deviceId = await run('device add', deviceOptions)
  await isthmus(['user', 'create', '--data', data, ...USER], OWNER.password)
  await using gateway = await serving(data)
  const destinationId = await run('destination add', destinationOptions)
  const call = await signIn(gateway.http)
  const window = async () => ({
    ...(await call(dashboard.devices, {})),
    destinations: (await call(dashboardDestinations.list, {})).destinations,
  })
  expect(await window()).toMatchObject({
    devices: [{ deviceId, ...device }],
    destinations: [{ destinationId, ...destination }],
  })
  expect(JSON.parse(await run('device list', ['--json']))).toMatchObject([device])
  expect(JSON.parse(await run('destination list', ['--json']))).toMatchObject([destination])

  await run('device update', ['CT1', '--enabled', '--certificate-file', 'none', '--port', ''])
  await run('destination update', ['PACS', '--no-tls', '--modalities', 'none', '--enabled'])
  expect(await window()).toMatchObject({
    devices: [{ ...device, isEnabled: true, certificate: null, port: null }],
    destinations: [{ ...destination, isTls: false, modalities: [], isEnabled: true }],
  })
  await run('device remove', [deviceId])
  expect(await gateway.end('SIGTERM')).toBe(0)
  await run('destination remove', ['PACS'])
  expect(await run('destination list')).toMatch(/^ID +NAME [^\n]*$/)
  expect(JSON.parse(await run('device list', ['--json']))).toEqual([])
})
