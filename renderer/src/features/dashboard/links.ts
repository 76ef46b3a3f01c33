import type { LinkProps } from '@tanstack/react-router'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import type { TodayKind } from '#shared/contract/dashboard-today.ts'

/** Where something is done about it. */
export const LINKS: Readonly<Record<TodayKind, LinkProps>> = {
  'safe-mode': { to: '/settings/readiness' },
  'listener-down': { to: '/settings' },
  disk: { to: '/images' },
  'partner-away': { to: '/partner' },
  'partner-unset': { to: '/partner' },
  'audit-broken': { to: '/audit' },
  'audit-anchor': { to: '/audit' },
  'audit-collector': { to: '/settings' },
  backup: { to: '/settings/backups' },
  rehearsal: { to: '/settings/backups' },
  standby: { to: '/settings/backups' },
  setup: { to: '/setup' },
  recovered: { to: '/images/recovered' },
  'correction-notices': { to: '/images/inform' },
  'images-replaced': { to: '/images', search: { show: 'replaced' } },
  mismatches: { to: '/images', search: { show: 'mismatch' } },
  'criticals-escalated': { to: '/reading/criticals' },
  criticals: { to: '/reading/criticals' },
  'addenda-needed': { to: '/reading', search: { view: 'addendumNeeded' } },
  'stat-unread': { to: '/reading', search: { view: 'stat' } },
  'reports-undelivered': { to: '/events', search: { show: 'waiting', type: 'report.delivered' } },
  'endpoints-off': { to: '/partner' },
  downtime: { to: '/worklist' },
  quarantined: { to: '/images/quarantine' },
  'forwards-failed': { to: '/destinations' },
  'unknown-callers': { to: '/devices' },
  workstations: { to: '/settings/access' },
  'exams-overdue': { to: '/worklist', search: { show: 'overdue' } },
  'images-unplanned': { to: '/worklist/reconcile' },
  'exams-withheld': { to: '/worklist', search: { show: 'withheld' } },
  'my-drafts': { to: '/reading', search: { view: 'inProgress' } },
  addenda: { to: '/reading', search: { view: 'addenda' } },
  'studies-waiting': { to: '/reading' },
  'events-failed': { to: '/events', search: { show: 'failed' } },
  'second-factor': { to: '/account' },
  'escalation-mail-failing': { to: '/people' },
  'mail-failing': { to: '/people' },
  'invitations-pending': { to: '/people' },
  certificate: { to: '/settings' },
  advice: { to: '/settings' },
}

/** Its images, once some have come; before, why it is or is not on the device. */
export const examLink = (
  { imageStudyUid, studyInstanceUid, scheduledProcedureStepId }: Exam,
  day: string,
  device: string | undefined,
): LinkProps | undefined => {
  if (imageStudyUid !== null)
    return { to: '/images/$studyInstanceUid', params: { studyInstanceUid: imageStudyUid } }
  if (studyInstanceUid === '' || device === undefined) return undefined
  return {
    to: '/worklist/why',
    search: { study: studyInstanceUid, step: scheduledProcedureStepId, device, day },
  }
}

/** The study of an exam, which says how far its report is. */
export const examStudyLink = ({ study }: Exam): LinkProps | undefined =>
  study === null ? undefined : { to: '/studies/$studyId', params: { studyId: study.studyId } }
