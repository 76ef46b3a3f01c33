import { randomUUID } from 'node:crypto'
import { dashboardSessions } from '#shared/contract/dashboard.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardReports, REPORT_CHECKS } from '#shared/contract/reports.ts'
import type { StudyId } from '#shared/ids.ts'
import type { InputOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'

const REPORT_TEXT = `Technique: invented images of a phantom.
Findings: The lungs are clear. No effusion, no mass, no enlarged lymph nodes.
Impression: Normal study.`

export interface Account {
  readonly email: string
  readonly password: string
}

interface SignedStudy {
  readonly studyDescription: string
  readonly patientName: string
}

/**
 * A radiologist who uses the same HTTP interface as the window. STAT studies are left for whoever
 * watches the demo.
 * @param windowUrl URL of the window, such as `http://127.0.0.1:8042`
 */
export function openRadiologist(windowUrl: string, account: Account, signal: AbortSignal) {
  const unsignable = new Set<StudyId>()
  const windowId = randomUUID()

  /**
   * Signs the report of the oldest study that is ready to be read.
   * @returns undefined if there is none
   */
  async function signOldest(): Promise<SignedStudy | undefined> {
    // A session would be locked between two reports.
    const call = await signIn(windowUrl, account, signal)
    const { studies } = await call(dashboardStudies.list, {
      query: {
        area: 'scribe',
        order: 'newest',
        severity: 'normal',
        status: 'unassigned',
        limit: 50,
      },
    })
    const study = studies.findLast(
      ({ studyId, identity }) => identity !== 'mismatch' && !unsignable.has(studyId),
    )
    if (!study) return undefined
    const { studyId } = study
    const params = { studyId }
    const { draft } = await call(dashboardReports.begin, { params, body: { windowId } })
    if (!draft) return undefined
    const { reportId, revision } = draft
    const saved = await call(dashboardReports.save, {
      params,
      body: { windowId, reportId, revision, text: REPORT_TEXT },
    })
    if (saved.outcome === 'conflict') return undefined
    const signed = await call(dashboardReports.sign, {
      params,
      body: {
        ...{ windowId, reportId, revision: saved.revision, isCritical: false },
        acknowledged: [...REPORT_CHECKS],
      },
    })
    if (signed.outcome === 'signed') return study
    unsignable.add(studyId)
    return undefined
  }

  return { signOldest }
}

type Call = <S extends OperationShape>(
  operation: Operation<S>,
  input: InputOf<S>,
) => Promise<ReplyOf<S>>

/** @throws Error with the explanation of the gateway */
async function signIn(windowUrl: string, account: Account, signal: AbortSignal): Promise<Call> {
  // The gateway accepts changes only from its own page.
  const headers = { origin: windowUrl, 'x-isthmus-csrf': '1', 'content-type': 'application/json' }
  const { path } = dashboardSessions.signIn
  const response = await fetch(new URL(path, windowUrl), {
    ...{ method: 'POST', headers, body: JSON.stringify(account), signal },
  })
  await jsonOf(response)
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ')
  return async (operation, input) => {
    const { params = {}, query = {}, body } = input as Input
    const filled = operation.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
    const url = new URL(filled, windowUrl)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    const answer = await fetch(url, {
      ...{ method: operation.method, headers: { ...headers, cookie }, signal },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return operation.reply.parse(await jsonOf(answer)) as ReplyOf<typeof operation>
  }
}

interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

async function jsonOf(response: Response): Promise<unknown> {
  const json = (await response.json()) as { readonly message?: string }
  if (!response.ok) throw new Error(json.message ?? `The gateway answered ${response.status}.`)
  return json
}
