import type { Operation } from '../operation.ts'
import { dashboard } from './dashboard.ts'
import { dashboardReports } from './reports.ts'

type WithinView<O extends Operation> = Omit<O, 'access' | 'background'> & {
  readonly access: 'view'
}

/**
 * A copy of the operation under the path of a view. A client calls the original operation with
 * `viewPrefix` as part of the origin.
 */
function withinView<O extends Operation>(operation: O): WithinView<O> {
  const { access: _, background: __, ...rest } = operation
  return { ...rest, access: 'view', path: `/viewer/:viewId${operation.path}` }
}

/** The window's operations for writing the report of the study that a dictation link has opened. */
const LINKED_OPERATIONS = [
  ...([
    'read',
    'askContext',
    'begin',
    'save',
    'hold',
    'revisions',
    'revision',
    'check',
    'sign',
  ] as const),
  // `overrideIdentity` is excluded, because it requires a recent sign-in, which a link is not
  // (decision 0033).
  ...([
    'withdrawOverride',
    'startAddendum',
    'cancelAddendum',
    'pdfLink',
    'communicate',
    'templates',
  ] as const),
] as const satisfies readonly (keyof typeof dashboardReports)[]
type LinkedOperation = (typeof LINKED_OPERATIONS)[number]

/**
 * Dictation by link: the window's calls for one study, authorized by the cookie of the view. They
 * have the same replies as in the window; 403 if the view is not for dictation, 404 for any other
 * study.
 */
export const linkedReports = Object.fromEntries(
  LINKED_OPERATIONS.map((name) => [name, withinView(dashboardReports[name] as Operation)]),
) as {
  readonly [K in LinkedOperation]: WithinView<(typeof dashboardReports)[K]>
}
export const linked = { session: withinView(dashboard.session), ...linkedReports } as const

/** Path of a document of the clinical context, which returns bytes. */
export const linkedDocumentPath = '/viewer/:viewId/dashboard/reading/:studyId/documents/:documentId'
