import { linked } from '#shared/contract/linked.ts'
import { interfaceOperations, windowOperations } from '#shared/contract/operations.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { Operation } from '#shared/operation.ts'

/**
 * Every call that a running gateway answers. Those of the rescue page are answered only where the
 * data cannot be opened.
 */
export const OPERATIONS: readonly Operation[] = [
  ...interfaceOperations().map(({ operation }) => operation),
  ...windowOperations().map(({ operation }) => operation),
  ...(Object.values(viewing) as Operation[]),
  ...(Object.values(linked) as Operation[]),
]

export const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

/**
 * Calls that reach out of the gateway: to other hosts, to folders of this machine, to listeners on
 * its network, or that end the run itself. What is made of them here is sent without a proof of who
 * calls, and never carried out.
 */
export const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([
  ...[
    'PATCH /dashboard/settings',
    'PUT /dashboard/lan',
    'PUT /dashboard/mail',
    'POST /dashboard/mail/test',
    'PUT /dashboard/partner',
  ],
  ...[
    'POST /dashboard/partner/test',
    'POST /dashboard/endpoints',
    'PATCH /dashboard/endpoints/:endpointId',
    'POST /dashboard/events/test',
  ],
  ...[
    'POST /dashboard/events/replay',
    'POST /dashboard/devices/:deviceId/echo',
    'POST /dashboard/destinations/:destinationId/echo',
  ],
  ...[
    'POST /dashboard/destinations/:destinationId/send',
    'POST /dashboard/destinations/:destinationId/priors/find',
  ],
  ...[
    'POST /dashboard/destinations/:destinationId/priors/pull',
    'POST /viewer/:viewId/priors/query',
    'POST /viewer/:viewId/priors/retrieve',
    'POST /dashboard/destinations/:destinationId/retry',
  ],
  ...[
    'POST /dashboard/destinations',
    'PATCH /dashboard/destinations/:destinationId',
    'PUT /dashboard/setup/backup/folder',
  ],
  ...[
    'POST /dashboard/setup/backup',
    'POST /dashboard/setup/self-test',
    'POST /dashboard/setup/recovery-key',
    'POST /dashboard/backups',
  ],
  ...[
    'POST /dashboard/backups/rehearsal',
    'POST /dashboard/backups/restore',
    'POST /dashboard/backups/restore/preview',
  ],
  ...[
    'DELETE /dashboard/backups/:name',
    'POST /dashboard/certificates/:use/renew',
    'POST /dashboard/session/lock',
  ],
  ...[
    'DELETE /dashboard/session',
    'DELETE /dashboard/sessions/:sessionId',
    'POST /dashboard/account/password',
  ],
  ...[
    'POST /dashboard/account/second-factor',
    'POST /dashboard/account/second-factor/confirm',
    'POST /viewer/:viewId/close',
  ],
])
