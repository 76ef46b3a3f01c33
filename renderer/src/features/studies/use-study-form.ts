import { useState } from 'react'
import { scribe } from '#shared/contract/scribe.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { StudyId } from '#shared/ids.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { pairFaults } from '../../ui/metadata-pairs.ts'
import { LIST_CHANGES } from '../../ui/study-list/use-study-list.ts'
import { useContractForm } from '../../ui/use-contract-form.ts'
import {
  changedBody,
  isMeasure,
  MEASURE_NAMES,
  newBody,
  type StudyValues,
  valuesOf,
} from './study-values.ts'
import type { Details } from './use-details.ts'

const CHANGES = [...LIST_CHANGES, scribe.read, viewer.read]

/** The body was parsed by the area's own operation. */
type Body = never
export type StudyForm = ReturnType<typeof useStudyForm>['form']

/**
 * A study while it is made or changed.
 * @param details null for a new one
 */
export function useStudyForm(
  first: StudyArea,
  details: Details | null,
  onDone: (studyId: StudyId) => void,
) {
  const [area, setArea] = useState(first)
  const [initialValues] = useState(() => valuesOf(details))
  const create = {
    scribe: useSend(scribe.create, CHANGES),
    viewer: useSend(viewer.create, CHANGES),
  }
  const update = {
    scribe: useSend(scribe.update, CHANGES),
    viewer: useSend(viewer.update, CHANGES),
  }
  const { form, submit } = useContractForm<StudyValues, Readonly<Record<string, unknown>>>({
    operation: { scribe, viewer }[area][details ? 'update' : 'create'],
    initialValues,
    bodyOf: (values) =>
      details ? changedBody(area, values, initialValues) : newBody(area, values),
    check: ({ reportMetadata, metadata }) => ({
      ...Object.fromEntries(
        MEASURE_NAMES.filter(
          (name) => area === 'scribe' && !isMeasure(reportMetadata[name].value),
        ).map((name) => [`reportMetadata.${name}.value`, t('ui.studies.form.measureFault')]),
      ),
      // Shown beside its line.
      ...(pairFaults(metadata).size > 0 && { lines: true }),
    }),
    fieldOf,
    send(body, onError) {
      const options = {
        onSuccess: (study: { readonly studyId: StudyId }) => onDone(study.studyId),
        onError,
      }
      if (!details) return create[area].mutate({ body: body as Body }, options)
      const { studyId } = details.study
      if (Object.keys(body).length === 0) onDone(studyId)
      else update[area].mutate({ params: { studyId }, body: body as Body }, options)
    },
  })
  const calls = [...Object.values(create), ...Object.values(update)]
  return {
    area,
    setArea(next: StudyArea) {
      setArea(next)
      form.clearErrors()
    },
    form,
    submit,
    error: calls.find((one) => one.error !== null)?.error ?? null,
    isBusy: calls.some((one) => one.isPending),
  }
}

/** A list that is typed into one field, and a measure, have one place for their faults. */
const fieldOf = (path: string): string =>
  /^(technologistNotes|priorStudyIds)\b/.exec(path)?.[0] ??
  path.replace(/^(reportMetadata\.(?:height|weight))$/, '$1.value')
