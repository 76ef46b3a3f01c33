import type { Operation } from '../operation.ts'
import { dashboard } from './dashboard.ts'
import { dashboardReports } from './reports.ts'

type WithinView<O extends Operation> = Omit<O, 'access' | 'background'> & {
  readonly access: 'view'
}

/**
 * The operation a second time, below a view. Its client calls the first one with `viewPrefix` as a
 * part of its origin.
 */
function withinView<O extends Operation>(operation: O): WithinView<O> {
  const { access: _, background: __, ...rest } = operation
  return { ...rest, access: 'view', path: `/viewer/:viewId${operation.path}` }
}

/**
 * What a person needs of the window to write the report of the study that a link for dictation has
 * opened.
 */
const OF_REPORTS = [
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
  // Not `overrideIdentity`: it takes a recent sign-in, which a link is none of (decision 0033).
  ...([
    'withdrawOverride',
    'startAddendum',
    'cancelAddendum',
    'pdfLink',
    'communicate',
    'templates',
  ] as const),
] as const satisfies readonly (keyof typeof dashboardReports)[]
type OfReports = (typeof OF_REPORTS)[number]

/**
 * Dictation by link: calls of the window, of one study, by the cookie of the view. They answer as
 * those of the window do; 403 where the view is not for dictation, 404 for any other study.
 */
export const linkedReports = Object.fromEntries(
  OF_REPORTS.map((name) => [name, withinView(dashboardReports[name] as Operation)]),
) as {
  readonly [K in OfReports]: WithinView<(typeof dashboardReports)[K]>
}
export const linked = { session: withinView(dashboard.session), ...linkedReports } as const

/** A document of the clinical context: bytes. */
export const linkedDocumentPath = '/viewer/:viewId/dashboard/reading/:studyId/documents/:documentId'
