import { Agent } from 'node:http'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { express } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { dashboardViews } from '#shared/contract/viewing.ts'
import { ERRORS } from '#shared/errors.ts'
import { OWNER, type StartedGateway, sessionHeaders, startGateway } from '../../support/gateway.ts'
import { type HttpAnswer, httpCall } from '../../support/http-call.ts'
import { keyCall, newUid } from '../../support/interface.ts'
import { completedReport } from '../../support/reports.ts'
import { hold } from '../target.ts'

/** A gateway with a little of everything in it, and how it is asked. */
export interface Clinic extends AsyncDisposable {
  readonly started: StartedGateway
  /** Ids that exist, by the prefix of their kind; `uid` of studies. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** By an API key, by the owner's session, by nobody. */
  ask(question: Question): Promise<HttpAnswer>
}

export interface Question {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly by: 'key' | 'owner' | 'nobody'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

const MANY = Array.from({ length: 8 }, (_, n) => n)
const ANSWER_MS = 30_000

export async function openClinic(): Promise<Clinic> {
  let key = ''
  const started = await startGateway({
    partner: null,
    overrides: {
      'http.ratePerSecond': 1_000_000,
      'http.rateBurst': 1_000_000,
      'backup.dailyAt': null,
      'window.lockMinutes': 60,
    },
    devices: [{ aeTitle: 'CT1' }, { aeTitle: 'MR1' }, { aeTitle: 'US1', isEnabled: false }],
    prepare(context) {
      ;({ key } = createApiKey(
        context,
        {
          ...{ description: 'Fuzz', isViewerEnabled: true, scope: 'all', managesPeople: true },
          ...{ eventAccess: 'with-bodies', seesClinicEvents: true, managesEndpoints: true },
        },
        'command-line',
      ))
    },
  })
  const { http } = started
  const known = await furnish(started, key)
  const view = await openView(http, known.stu_?.[0] ?? '')
  const signIn = async () => {
    const headers = await sessionHeaders(http, OWNER)
    return { ...headers, cookie: `${headers.cookie}; ${view.cookie}` }
  }
  const owner = { headers: await signIn() }
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })

  async function ask(question: Question): Promise<HttpAnswer> {
    const { method, path, body } = question
    const proof = { key: { authorization: `Bearer ${key}` }, owner: owner.headers, nobody: {} }[
      question.by
    ]
    const headers = { ...proof, ...question.headers }
    const answer = await httpCall(`${http}${path}`, {
      ...{ method, headers, agent, withinMs: ANSWER_MS },
      ...(body && { body }),
    })
    // The owner was signed out, which some calls do.
    if (question.by === 'owner' && answer.status === 401) owner.headers = await signIn()
    return answer
  }
  return {
    started,
    known: { ...known, viewId: [view.viewId] },
    ask,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await started[Symbol.asyncDispose]()
    },
  }
}

/** A view of a study, as the window opens one: its id and its cookie. */
async function openView(
  http: string,
  studyId: string,
): Promise<{ readonly viewId: string; readonly cookie: string }> {
  const { method, path } = dashboardViews.open
  const headers = await sessionHeaders(http, OWNER)
  const {
    json,
    headers: answered,
    text,
  } = await httpCall(`${http}${path}`, { method, headers, json: { studyId } })
  const cookie = answered['set-cookie']?.[0]?.split(';')[0]
  if (!cookie) throw new Error(`no view: ${text}`)
  return { viewId: (json as { readonly viewId: string }).viewId, cookie }
}

/** Studies of both areas, customers, users, invitations, reports; nobody of them exists. */
async function furnish(
  { http, folder, call: window }: StartedGateway,
  key: string,
): Promise<Record<string, readonly string[]>> {
  const { call } = keyCall(http, key)
  const study = () =>
    ({ studyInstanceUid: newUid(), studyDescription: 'CT', severity: 'normal' }) as const
  const viewed = await Promise.all(MANY.map(() => call(viewer.create, { body: study() })))
  const read = await Promise.all(
    MANY.map(() =>
      call(scribe.create, {
        body: { ...study(), reportMetadata: { patientName: 'TESTER^NUMBER' } },
      }),
    ),
  )
  const customers = await Promise.all(
    ['a', 'b', 'c'].map((name) => call(express.create, { body: { expressCustomerName: name } })),
  )
  const person = { firstName: 'A', lastName: 'B', level: 'member', clinicRole: 'Other' } as const
  const rights = {
    canManageStudies: true,
    canCreateReports: true,
    hasDashboardAccess: true,
    npiNumber: '1234567893',
  }
  const users = await Promise.all(
    MANY.map((n) =>
      call(scribeUsers.invite, { body: { ...person, ...rights, email: `p${n}@fuzz.example` } }),
    ),
  )
  const { invitations } = await call(scribeUsers.invitations, { query: {} })
  const { devices } = await window(dashboard.devices, {})
  using store = openContext({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })
  const userId = users[0]?.userId ?? ''
  return {
    rep_: read.slice(0, 4).map(({ studyId }) => completedReport(store, { studyId, userId })),
    uid: [...viewed, ...read].map(({ studyInstanceUid }) => studyInstanceUid),
    stu_: [...viewed, ...read].map(({ studyId }) => studyId),
    cus_: customers.map(({ expressCustomerId }) => expressCustomerId),
    usr_: users.map(({ userId: id }) => id),
    inv_: invitations.map(({ invitationId }) => invitationId),
    deviceId: devices.map(({ deviceId }) => deviceId),
  }
}

/** Every refusal of the table but a fault of ours; a head that is too long is Node's to refuse. */
const REFUSALS: ReadonlySet<number> = new Set(
  Object.values(ERRORS)
    .map(({ status }): number => status)
    .filter((status) => status !== 500)
    .concat(431),
)

/** An answer is the call's own success as JSON, or a refusal of the table as a problem. */
export function holdAnswer(
  call: string,
  success: number,
  { status, headers, text, json }: HttpAnswer,
  refusals = REFUSALS,
): void {
  const type = String(headers['content-type'])
  if (status === success) {
    hold(
      /^application\/json/.test(type) && json !== undefined,
      () => `${call} answers ${status} with ${type}`,
    )
    return
  }
  hold(refusals.has(status), () => `${call} answers ${status}: ${text.slice(0, 300)}`)
  hold(
    /^application\/problem\+json/.test(type),
    () => `${call} refuses with ${type}: ${text.slice(0, 200)}`,
  )
  hold(
    Problem.safeParse(json).success,
    () => `${call} refuses with what is no problem: ${text.slice(0, 300)}`,
  )
}
