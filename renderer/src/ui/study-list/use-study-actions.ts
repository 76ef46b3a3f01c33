import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { dashboardStudies, type WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import type { Severity } from '#shared/contract/values.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { StudyId, UserId } from '#shared/ids.ts'
import { may, nextStatus, REPORT_STUDY_STATUSES, type ViewerStatus } from '#shared/lifecycle.ts'
import { call, keyOf } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { showRefusal } from '../refused.ts'
import { showDone } from '../undo.tsx'
import { LIST_CHANGES } from './use-study-list.ts'

/** What has to be known of a study to change it. */
export type StudyState = Pick<
  WindowStudy,
  'studyId' | 'area' | 'severity' | 'status' | 'isCancelled' | 'assignedTo'
>

/** Whether the study can be assigned in its state. */
export function canBeAssigned({ area, status, isCancelled }: StudyState): boolean {
  if (isCancelled || area === 'viewer') return !isCancelled
  const reportStatus = REPORT_STUDY_STATUSES.find((one) => one === status)
  return reportStatus !== undefined && nextStatus('assign', reportStatus) !== undefined
}

/** What can be changed of a study in one step; by the calls that partners use. */
export type Change =
  | {
      readonly kind: 'assign'
      readonly to: { readonly userId: UserId; readonly name: string } | null
    }
  | { readonly kind: 'severity'; readonly to: Severity }
  | { readonly kind: 'status'; readonly to: ViewerStatus }
  | { readonly kind: 'cancel'; readonly to: boolean }

/** Makes the change. @throws ProblemError */
export async function sendStudyChange(
  { studyId, area }: Pick<StudyState, 'studyId' | 'area'>,
  change: Change,
): Promise<void> {
  const params = { studyId }
  if (change.kind === 'cancel') {
    const operation =
      area === 'scribe'
        ? change.to
          ? scribe.cancel
          : scribe.uncancel
        : change.to
          ? viewer.cancel
          : viewer.uncancel
    await call(operation, { body: { studyId } })
    return
  }
  if (change.kind === 'status') {
    await call(viewer.update, { params, body: { studyViewerStatus: change.to } })
    return
  }
  // Who may only report takes studies by this call.
  if (change.kind === 'assign' && area === 'scribe') {
    await call(dashboardReports.assign, { params, body: { userId: change.to?.userId ?? null } })
    return
  }
  const body =
    change.kind === 'assign' ? { assignedTo: change.to?.userId ?? null } : { severity: change.to }
  if (area === 'scribe') await call(scribe.update, { params, body })
  else await call(viewer.update, { params, body })
}

/** What takes the change back. */
export function inverseChange(study: StudyState, change: Change): Change {
  if (change.kind === 'assign') return { kind: 'assign', to: study.assignedTo }
  if (change.kind === 'severity') return { kind: 'severity', to: study.severity }
  if (change.kind === 'status')
    return { kind: 'status', to: study.status === 'complete' ? 'complete' : 'incomplete' }
  return { kind: 'cancel', to: study.isCancelled }
}

function sentenceOf(change: Change): string {
  if (change.kind === 'assign')
    return change.to === null
      ? t('ui.studies.done.freed')
      : t('ui.studies.done.assigned', { name: change.to.name })
  if (change.kind === 'severity') return t(`ui.studies.done.severity.${change.to}`)
  if (change.kind === 'status') return t(`ui.studies.done.status.${change.to}`)
  return change.to ? t('ui.studies.done.cancelled') : t('ui.studies.done.active')
}

/**
 * Changes of one study at a time, each said with what undoes it; what was refused is said too.
 * @param renew takes the study's new state into a list
 */
export function useStudyActions(renew: (studies: readonly WindowStudy[]) => void = ignore) {
  const client = useQueryClient()
  const me = useSession().data?.user
  const refresh = useCallback(
    async (studyId: StudyId) => {
      try {
        renew([(await call(dashboardStudies.read, { params: { studyId } })).study])
      } catch {
        // The list says itself that it cannot be read.
      }
      for (const changed of [...LIST_CHANGES, dashboardReports.read, scribe.read, viewer.read])
        void client.invalidateQueries({ queryKey: keyOf(changed) })
    },
    [client, renew],
  )
  const change = useCallback(
    async (study: StudyState, what: Change) => {
      const send = async (next: Change) => {
        try {
          await sendStudyChange(study, next)
          return true
        } catch (error) {
          showRefusal(error instanceof Error ? error.message : String(error))
          return false
        } finally {
          void refresh(study.studyId)
        }
      }
      const inverseAction = inverseChange(study, what)
      const undo = async () => {
        if (await send(inverseAction)) showDone(sentenceOf(inverseAction))
      }
      if (await send(what)) showDone(sentenceOf(what), () => void undo())
    },
    [refresh],
  )
  return {
    change: (study: StudyState, what: Change) => void change(study, what),
    assignToMe(study: StudyState) {
      if (!me || study.assignedTo?.userId === me.userId) return
      if (!may(me, 'manageStudies')) return showRefusal(t('ui.studies.done.mayNotAssign'))
      void change(study, {
        kind: 'assign',
        to: { userId: me.userId, name: `${me.firstName} ${me.lastName}` },
      })
    },
    refresh,
  }
}

const ignore = () => undefined
