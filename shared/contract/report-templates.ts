import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { NamedUser } from './people.ts'
import { ModalityCode } from './values.ts'

const scope = {
  modalities: z.array(ModalityCode).max(20),
  sex: z.enum(['male', 'female', 'other']).nullable(),
  /** Age in years, both inclusive. */
  ageFrom: z.int().min(0).max(150).nullable(),
  ageTo: z.int().min(0).max(150).nullable(),
  /** Words of the study description, any of which must occur. */
  keywords: z.array(z.string().trim().min(1).max(50)).max(20),
}

/**
 * A template is the initial text of a report; a macro is inserted at the cursor by its shortcut. It
 * is offered if all criteria of its scope are met.
 */
export const ReportTemplate = z.object({
  templateId: z.uuid(),
  kind: z.enum(['template', 'macro']),
  /** Null if it is shared with everyone. */
  owner: NamedUser.nullable(),
  name: z.string(),
  shortcut: z.string().nullable(),
  ...scope,
  text: z.string(),
  updatedAt: Instant,
})
export type ReportTemplate = z.infer<typeof ReportTemplate>
const Shortcut = z.string().regex(/^[\p{L}\p{N}_.-]{1,20}$/u, fault('reports.template-shortcut'))
export const NewReportTemplate = z.object({
  kind: ReportTemplate.shape.kind,
  /**
   * mine: for the user who creates it; everybody: shared, for owners and administrators to create.
   */
  for: z.enum(['mine', 'everybody']).default('mine'),
  name: z.string().trim().min(1).max(100),
  shortcut: Shortcut.nullable().default(null),
  modalities: scope.modalities.default([]),
  sex: scope.sex.default(null),
  ageFrom: scope.ageFrom.default(null),
  ageTo: scope.ageTo.default(null),
  keywords: scope.keywords.default([]),
  text: z.string().min(1).max(50_000),
})
export type NewReportTemplate = z.infer<typeof NewReportTemplate>
const TemplatePatch = z
  .object({
    name: NewReportTemplate.shape.name,
    shortcut: z.union([z.null(), Shortcut]),
    ...scope,
    text: z.string().min(1).max(50_000),
  })
  .partial()
const templateParams = z.object({ templateId: z.uuid() })

export const reportTemplates = {
  templates: operation('GET /dashboard/templates', {
    access: 'signed-in',
    summary:
      'Templates and macros: my own and shared ones; for a study, only those that match it, best match first',
    query: z.object({ studyId: StudyId.optional() }),
    reply: z.object({ templates: z.array(ReportTemplate) }),
  }),
  addTemplate: operation('POST /dashboard/templates', {
    access: 'signed-in',
    summary: 'Add a template or macro',
    body: NewReportTemplate,
    reply: ReportTemplate,
    status: 201,
  }),
  changeTemplate: operation('PATCH /dashboard/templates/:templateId', {
    access: 'signed-in',
    summary: 'Change a template or macro',
    params: templateParams,
    body: TemplatePatch,
    reply: ReportTemplate,
  }),
  removeTemplate: operation('DELETE /dashboard/templates/:templateId', {
    access: 'signed-in',
    summary: 'Remove a template or macro',
    params: templateParams,
    reply: Outcome,
  }),
} as const
