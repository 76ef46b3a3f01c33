import { existsSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { userActor } from '#server/audit-log/audit.ts'
import { type Context, openContext } from '#server/context.ts'
import { applyStagedRestore } from '#server/modules/backups/restore-files.ts'
import { LiveRestore, recordRestores } from '#server/modules/backups/restore-staging.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { allUsers } from '#server/modules/users/queries.ts'
import { englishText } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'
import { type Clinic, clinicWithBackup } from '../../../../support/damaged-clinic.ts'
import { OWNER } from '../../../../support/gateway.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const { password } = OWNER
const COST = { logN: 10, r: 8, p: 1 }

interface Stage extends AsyncDisposable {
  readonly clinic: Clinic
  readonly context: Context
  readonly restoring: LiveRestore
  readonly owner: ReturnType<typeof userActor>
  readonly restarts: () => number
}

async function openStage(): Promise<Stage> {
  const opened = new AsyncDisposableStack()
  const { folder: root } = opened.use(tempFolder())
  const clinic = await clinicWithBackup(root)
  const context = opened.use(openContext({ folder: clinic.folder }))
  const people = openAccounts(context, COST)
  let restarts = 0
  const restoring = opened.use(new LiveRestore(context, people, () => void restarts++, 0))
  const owner = userActor(allUsers(context.database)[0]?.userId ?? '')
  return {
    clinic,
    context,
    restoring,
    owner,
    restarts: () => restarts,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 10 })

it('shows what a backup holds beside what there is now, and changes nothing', async () => {
  await using stage = await openStage()
  const { restoring, clinic, context } = stage
  const before = readdirSync(clinic.folder)
  const preview = await restoring.preview({ name: clinic.backup.name })
  expect(preview).toMatchObject({
    name: clinic.backup.name,
    madeAt: clinic.backup.madeAt,
    opensWith: 'own',
    fault: null,
  })
  expect(preview.rows).toContainEqual({ table: 'devices', inBackup: 1, now: 2 })
  expect(listDevices(context.database)).toHaveLength(2)
  expect(readdirSync(clinic.folder)).toEqual(before)
  expect(restoring.state).toEqual({ phase: 'none', share: 0, sentence: null })
})

it('makes a backup ready for an owner who gives the password, and then has the gateway started again, once', async () => {
  await using stage = await openStage()
  const { restoring, clinic, owner, context } = stage
  const begun = await restoring.begin({ name: clinic.backup.name, password }, owner)
  expect(begun.phase).toBe('decrypting')
  await expect(restoring.begin({ name: clinic.backup.name, password }, owner)).rejects.toThrow(
    /already/,
  )
  await until(() => expect(stage.restarts()).toBe(1))
  expect(restoring.state).toMatchObject({ phase: 'ready', share: 1 })
  expect(existsSync(join(clinic.folder, 'restore', 'restore.json'))).toBe(true)
  await expect(restoring.begin({ name: clinic.backup.name, password }, owner)).rejects.toThrow(
    'is already prepared',
  )
  expect(context.audit.list({ limit: 1 }).items[0]).toMatchObject({
    action: 'restore.begin',
    target: clinic.backup.name,
    actor: owner,
  })
  expect(stage.restarts()).toBe(1)
})

it('refuses who is no owner, a wrong password, an unknown name and a folder that cannot be read, and changes nothing', async () => {
  await using stage = await openStage()
  const { restoring, clinic, owner, context } = stage
  const people = openAccounts(context, COST)
  const admin = await people.createUser(
    {
      ...OWNER,
      email: 'admin@clinic.example',
      firstName: 'Ada',
      lastName: 'Admin',
      level: 'admin',
      clinicRole: 'Other',
    },
    'command-line',
  )
  const { name } = clinic.backup
  await expect(restoring.begin({ name, password }, userActor(admin.userId))).rejects.toMatchObject({
    code: 'not-permitted',
  })
  await expect(restoring.begin({ name, password: 'not this one' }, owner)).rejects.toMatchObject({
    code: 'refused',
    errors: [{ path: 'body.password' }],
  })
  await expect(
    restoring.begin({ name: 'isthmus-2000-01-01-000000Z', password }, owner),
  ).rejects.toMatchObject({ code: 'not-found' })
  await expect(restoring.begin({ name: '../backups', password }, owner)).rejects.toMatchObject({
    code: 'not-found',
  })
  await expect(
    restoring.preview({ name, folder: join(clinic.backupFolder, 'gone') }),
  ).rejects.toMatchObject({
    code: 'refused',
    errors: [{ path: 'body.folder' }],
  })
  await expect(restoring.preview({ name, folder: 'relative' })).rejects.toMatchObject({
    errors: [{ path: 'body.folder' }],
  })
  expect(existsSync(join(clinic.folder, 'restore'))).toBe(false)
  expect(restoring.state.phase).toBe('none')
})

it('asks for the recovery key of a backup of another PC, and takes it however it is typed', async () => {
  await using stage = await openStage()
  using other = tempFolder()
  const { restoring, owner } = stage
  const foreign = await clinicWithBackup(other.folder)
  const from = { folder: foreign.backupFolder, name: foreign.backup.name }
  expect(await restoring.preview(from)).toMatchObject({ opensWith: 'recovery-key', fault: null })
  await expect(restoring.begin({ ...from, password }, owner)).rejects.toMatchObject({
    errors: [{ path: 'body.recoveryKey' }],
  })
  const wrong = stage.clinic.recoveryKey
  const { fault } = await restoring.preview({ ...from, recoveryKey: wrong })
  expect(englishText(fault as Message)).toMatch(/not the recovery key/)
  await expect(
    restoring.begin({ ...from, recoveryKey: wrong, password }, owner),
  ).rejects.toMatchObject({
    errors: [{ path: 'body.recoveryKey' }],
  })
  const recoveryKey = foreign.recoveryKey.replaceAll('-', ' ').toLowerCase()
  expect(await restoring.preview({ ...from, recoveryKey })).toMatchObject({
    opensWith: 'recovery-key',
    fault: null,
  })
  await restoring.begin({ ...from, recoveryKey, password }, owner)
  await until(() => expect(stage.restarts()).toBe(1))
})

it('says that a damaged backup cannot be put back, and takes another one after it', async () => {
  await using stage = await openStage()
  const { restoring, clinic, owner } = stage
  const sealed = join(clinic.backupFolder, clinic.backup.name, 'database.sealed')
  truncateSync(sealed, 1000)
  await restoring.begin({ name: clinic.backup.name, password }, owner)
  await until(() => expect(restoring.state.phase).toBe('failed'))
  expect(englishText(restoring.state.sentence as Message)).toMatch(/\.$/)
  expect(stage.restarts()).toBe(0)
  expect(existsSync(join(clinic.folder, 'restore', 'restore.json'))).toBe(false)
  await expect(
    restoring.begin({ name: clinic.backup.name, password }, owner),
  ).resolves.toMatchObject({ phase: 'decrypting' })
  await until(() => expect(restoring.state.phase).toBe('failed'))
})

it('is not kept waiting at the end by a restart that nobody needs any more', async () => {
  await using stage = await openStage()
  const { clinic, owner, context } = stage
  const people = openAccounts(context, COST)
  let restarts = 0
  const restoring = new LiveRestore(context, people, () => void restarts++, 60_000)
  await restoring.begin({ name: clinic.backup.name, password }, owner)
  await until(() => expect(restoring.state.phase).toBe('ready'))
  await restoring[Symbol.asyncDispose]()
  expect(restarts).toBe(0)
})

it('notes once what was put back, also where the gateway was ended before it could', async () => {
  await using stage = await openStage()
  const { clinic, owner, restoring } = stage
  await restoring.begin({ name: clinic.backup.name, password }, owner)
  await until(() => expect(restoring.state.phase).toBe('ready'))
  stage.context[Symbol.dispose]()
  const restored = applyStagedRestore(clinic.folder, Date.now())
  // The gateway ends here; the next one has nothing to put back.
  expect(applyStagedRestore(clinic.folder, Date.now())).toBeUndefined()
  using context = openContext({ folder: clinic.folder })
  expect(recordRestores(context, 'gateway')).toEqual([clinic.backup.name])
  expect(recordRestores(context, 'gateway')).toEqual([])
  const told = context.audit
    .list({ limit: 5 })
    .items.filter(({ action }) => action === 'database.restore')
  expect(told).toMatchObject([
    {
      actor: 'gateway',
      target: clinic.backup.name,
      detail: { by: owner, keptAside: restored?.keptAside },
    },
  ])
})
