import type { LinkProps } from '@tanstack/react-router'
import type { TodayKind } from '#shared/contract/dashboard-today.ts'

/** Where something is done about it. */
export const LINKS: Readonly<Record<TodayKind, LinkProps>> = {
  'listener-down': { to: '/settings' },
  disk: { to: '/images' },
  'partner-away': { to: '/partner' },
  'partner-unset': { to: '/partner' },
  'audit-broken': { to: '/audit' },
  setup: { to: '/setup' },
  mismatches: { to: '/images', search: { show: 'mismatch' } },
  criticals: { to: '/reading/criticals' },
  'stat-unread': { to: '/reading', search: { view: 'stat' } },
  'reports-undelivered': { to: '/events', search: { show: 'waiting', type: 'report.delivered' } },
  'endpoints-off': { to: '/partner' },
  downtime: { to: '/worklist' },
  quarantined: { to: '/images/quarantine' },
  'forwards-failed': { to: '/destinations' },
  'unknown-callers': { to: '/devices' },
  workstations: { to: '/settings/access' },
  'exams-overdue': { to: '/worklist', search: { show: 'overdue' } },
  'images-unplanned': { to: '/images' },
  'exams-withheld': { to: '/worklist', search: { show: 'withheld' } },
  'my-drafts': { to: '/reading', search: { view: 'inProgress' } },
  addenda: { to: '/reading', search: { view: 'addenda' } },
  'studies-waiting': { to: '/reading' },
  'events-failed': { to: '/events', search: { show: 'failed' } },
  'mail-failing': { to: '/people' },
  'invitations-pending': { to: '/people' },
  certificate: { to: '/settings' },
  advice: { to: '/settings' },
}
