import { findInstance } from '#server/modules/images/instance-queries.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports, REPORT_CHECKS } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import type { Answer } from './gateway-lives.ts'
import type { ReportAccount, Standing } from './ledger.ts'
import { isRefused, type Stage, statusOf, type Told, wordOf } from './stage.ts'

/** What staff do in their windows. Each returns a line for the trace. */

const WINDOWS = [
  '0f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c31',
  '1f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c32',
] as const

/** A study that came of images is found by whoever reads them. */
export async function look(stage: Stage): Promise<Told> {
  const { random, ledger, runs } = stage
  if (runs.length === 0) return undefined
  const { exam } = random.pick(runs)
  const answer = await stage.staff('radiologist', scribe.byUid, {
    params: { studyInstanceUid: exam.studyInstanceUid },
  })
  if (answer.kind !== 'answered')
    return `the radiologist looks for ${exam.stepId}: ${wordOf(answer)}`
  const { studyId } = answer.value
  if (!ledger.reports.has(studyId))
    ledger.reports.set(studyId, { studyId, told: NOTHING, asked: undefined, windows: new Map() })
  return `the radiologist looks for ${exam.stepId}: it is there`
}
const NOTHING: Standing = { draft: null, signed: [] }

/** The change is made of the account by what the answer says. */
function take(account: ReportAccount, asked: Standing, answer: Answer<unknown>): void {
  if (answer.kind === 'answered') account.told = asked
  else if (!isRefused(answer)) account.asked = asked
}

const accountOf = (
  { random, ledger }: Stage,
  fits: (account: ReportAccount) => boolean = () => true,
): ReportAccount | undefined => {
  const fitting = [...ledger.reports.values()].filter(fits)
  return fitting.length === 0 ? undefined : random.pick(fitting)
}

/** Which one it is, in the order in which they became known. */
const nameOf = ({ ledger }: Stage, { studyId }: ReportAccount) =>
  `report ${[...ledger.reports.keys()].indexOf(studyId) + 1}`

const newText = (stage: Stage, account: ReportAccount) =>
  `Indication: Cough.\n\nFindings:\nkanarienbefund text ${stage.number()}.\n\nImpression:\nNormal ${nameOf(stage, account)}.`

export async function beginReport(stage: Stage): Promise<Told> {
  const account = accountOf(stage, ({ told }) => told.draft !== null || told.signed.length === 0)
  if (!account) return undefined
  const { random } = stage
  const at = random.below(WINDOWS.length)
  const windowId = WINDOWS[at] as string
  const takeOver = random.chance(0.5)
  const text = random.chance(0.3) ? newText(stage, account) : ''
  const { draft } = account.told
  const begun = draft ?? { isAddendum: false, revision: 0, text: '' }
  const asked: Standing = {
    ...account.told,
    draft: begun.revision === 0 && text !== '' ? { ...begun, revision: 1, text } : begun,
  }
  const params = { studyId: account.studyId as never }
  const answer = await stage.staff('radiologist', dashboardReports.begin, {
    params,
    body: { windowId, takeOver, text },
  })
  take(account, asked, answer)
  if (answer.kind === 'answered') account.windows.set(windowId, answer.value.draft?.revision ?? 0)
  return `window ${at} begins ${nameOf(stage, account)}${takeOver ? ', by taking over' : ''}: ${wordOf(answer)}`
}

export async function saveDraft(stage: Stage): Promise<Told> {
  const account = accountOf(stage, ({ windows, told }) => windows.size > 0 && told.draft !== null)
  if (!account) return undefined
  const { windowId, at, revision } = windowOf(stage, account)
  const text = newText(stage, account)
  const { draft } = account.told
  const asked: Standing =
    draft && draft.revision === revision
      ? { ...account.told, draft: { ...draft, revision: revision + 1, text } }
      : account.told
  const params = { studyId: account.studyId as never }
  const answer = await stage.staff('radiologist', dashboardReports.save, {
    params,
    body: { windowId, revision, text },
  })
  const isConflict = answer.kind === 'answered' && answer.value.outcome === 'conflict'
  if (!isConflict) take(account, asked, answer)
  if (answer.kind === 'answered')
    account.windows.set(
      windowId,
      answer.value.outcome === 'saved' ? answer.value.revision : answer.value.theirs.revision,
    )
  return `window ${at} saves ${nameOf(stage, account)}: ${answer.kind === 'answered' ? answer.value.outcome : wordOf(answer)}`
}

export async function sign(stage: Stage): Promise<Told> {
  const account = accountOf(
    stage,
    ({ windows, told }) => windows.size > 0 && (told.draft?.revision ?? 0) > 0,
  )
  if (!account) return undefined
  const { windowId, at, revision } = windowOf(stage, account)
  const { draft, signed } = account.told
  const isCritical = stage.random.chance(0.15)
  const params = { studyId: account.studyId as never }
  const body = {
    windowId,
    revision: Math.max(1, revision),
    isCritical,
    finding: isCritical ? 'Something that cannot wait' : null,
    acknowledged: [...REPORT_CHECKS],
  }
  const answer = await stage.staff('radiologist', dashboardReports.sign, { params, body })
  const outcome = answer.kind === 'answered' ? answer.value.outcome : undefined
  if (draft && (outcome === undefined || outcome === 'signed'))
    take(account, { draft: null, signed: [...signed, draft.text] }, answer)
  return `window ${at} signs ${nameOf(stage, account)}: ${outcome ?? wordOf(answer)}`
}

export async function addendum(stage: Stage): Promise<Told> {
  const { random, ledger } = stage
  const account = accountOf(stage, ({ told }) => told.signed.length > 0)
  if (!account) return undefined
  const reportId = [...ledger.frozen.values()].find(
    ({ studyId }) => studyId === account.studyId,
  )?.reportId
  if (reportId === undefined) return undefined
  const { draft } = account.told
  const cancels = draft !== null && random.chance(0.5)
  const params = { reportId: reportId as never }
  const operation = cancels ? dashboardReports.cancelAddendum : dashboardReports.startAddendum
  const answer = await stage.staff('radiologist', operation, { params })
  const asked: Standing = cancels
    ? { ...account.told, draft: null }
    : { ...account.told, draft: { isAddendum: true, revision: 0, text: '' } }
  const isDone = answer.kind !== 'answered' || answer.value.success
  if (isDone && (cancels || draft === null)) take(account, asked, answer)
  const outcome = answer.kind === 'answered' ? String(answer.value.success) : wordOf(answer)
  return `the radiologist ${cancels ? 'gives up' : 'starts'} an addendum to ${nameOf(stage, account)}: ${outcome}`
}

function windowOf({ random }: Stage, { windows }: ReportAccount) {
  const [windowId, revision] = random.pick([...windows])
  return { windowId, revision, at: WINDOWS.indexOf(windowId as (typeof WINDOWS)[number]) }
}

export async function assign(stage: Stage): Promise<Told> {
  const account = accountOf(stage)
  if (!account) return undefined
  const session = await stage.staff('radiologist', dashboard.session, {})
  const userId = session.kind === 'answered' ? session.value.user?.userId : undefined
  if (!userId) return `the radiologist looks who they are: ${wordOf(session)}`
  const body = { userId: stage.random.chance(0.7) ? userId : null }
  const answer = await stage.staff('owner', dashboardReports.assign, {
    params: { studyId: account.studyId as never },
    body,
  })
  return `the owner assigns ${nameOf(stage, account)}: ${wordOf(answer)}`
}

/** The radiologist overrides a mismatch of identity, as it is shown. */
export async function overrideIdentity(stage: Stage): Promise<Told> {
  const list = await stage.staff('owner', dashboardImages.list, {
    query: { limit: 20, show: 'mismatch', search: '' },
  })
  if (list.kind !== 'answered') return `the owner looks for mismatches: ${wordOf(list)}`
  const studyId = list.value.studies.flatMap(
    ({ studies }) => studies.find(({ area }) => area === 'scribe')?.studyId ?? [],
  )[0]
  if (!studyId) return undefined
  const params = { studyId }
  const reading = await stage.staff('radiologist', dashboardReports.read, { params })
  if (reading.kind !== 'answered') return `the radiologist looks at a mismatch: ${wordOf(reading)}`
  const { differences } = reading.value.identity
  const answer = await stage.staff('radiologist', dashboardReports.overrideIdentity, {
    params,
    body: { reason: 'confirmed at the console', differences },
  })
  return `the radiologist overrides a mismatch: ${wordOf(answer)}`
}

/** Somebody decides on what was set aside. */
export async function decide(stage: Stage): Promise<Told> {
  const { random, ledger } = stage
  const list = await stage.staff('owner', dashboardImages.quarantine, { query: { limit: 20 } })
  if (list.kind !== 'answered') return `the owner looks at what was set aside: ${wordOf(list)}`
  if (list.value.instances.length === 0) return undefined
  const one = random.pick(list.value.instances)
  const isDiscarded = random.chance(0.4)
  const file = findInstance(stage.reader().store.database, one.instanceId)
  const bytes = file && stage.reader().bytesOf(file)
  const operation = isDiscarded ? dashboardImages.discardInstance : dashboardImages.releaseInstance
  const answer = await stage.staff('owner', operation, {
    params: { instanceId: one.instanceId },
    body: { reason: 'looked at' },
  })
  const kept = ledger.instances.find(
    ({ sopInstanceUid, dataSet }) =>
      sopInstanceUid === one.sopInstanceUid && bytes?.equals(dataSet),
  )
  // Whether it was done where no answer came is looked up: a person asked for it.
  if (kept && isDiscarded && !isRefused(answer)) {
    if (answer.kind === 'answered' || !findInstance(stage.reader().store.database, one.instanceId))
      kept.isDiscarded = true
  }
  return `the owner ${isDiscarded ? 'discards' : 'lets in'} what was set aside: ${wordOf(answer)}`
}

export async function downtime(stage: Stage): Promise<Told> {
  const answer = await stage.staff('owner', dashboard.startDowntime, {
    body: { reason: 'the partner is away' },
  })
  return `the owner begins the downtime mode: ${answer.kind === 'failed' ? statusOf(answer.error) : answer.kind}`
}
