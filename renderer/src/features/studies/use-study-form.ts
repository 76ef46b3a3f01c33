import { type FormEvent, useMemo, useState } from 'react'
import { findOperation } from '#shared/contract/operations.ts'
import { scribe } from '#shared/contract/scribe.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { StudyId } from '#shared/ids.ts'
import { faultsByField } from '../../api/client.ts'
import { t } from '../../i18n/t.ts'
import { pairFaults } from '../../ui/metadata-pairs.ts'
import { faultsOfIssues } from '../../ui/use-contract-form.ts'
import {
  changedBody,
  isMeasure,
  MEASURES,
  newBody,
  type StudyValues,
  valuesOf,
} from './study-values.ts'
import type { Details } from './use-details.ts'
import { useStudySending } from './use-study-sending.ts'

const AREAS = { scribe, viewer } as const

/** What the fields of a study share. */
export interface FieldsProps {
  readonly values: StudyValues
  readonly set: (change: Partial<StudyValues>) => void
  /** By path, such as `reportMetadata.mrn`. */
  readonly faults: Readonly<Record<string, string>>
}

/**
 * A study while it is made or changed: what was typed, what is wrong with it, and how it is sent.
 * @param details null for a new one
 */
export function useStudyForm(
  first: StudyArea,
  details: Details | null,
  onDone: (studyId: StudyId) => void,
) {
  const [area, setArea] = useState(first)
  const [before] = useState(() => valuesOf(details))
  const [values, setValues] = useState(before)
  const [isTried, setIsTried] = useState(false)
  const { error, isBusy, reset, send } = useStudySending()

  const body = details ? changedBody(area, values, before) : newBody(area, values)
  const { method, path } = AREAS[area][details ? 'update' : 'create']
  const schema = useMemo(() => findOperation(method, path)?.body, [method, path])
  const issues = schema?.safeParse(body).error?.issues ?? []
  const measureFaults = Object.keys(MEASURES).filter(
    (name) => !isMeasure(values.measures[name as keyof typeof MEASURES].value),
  )
  const faults: FieldsProps['faults'] = {
    ...(isTried && faultsOfIssues(issues)),
    ...(isTried &&
      Object.fromEntries(
        measureFaults.map((name) => [`reportMetadata.${name}`, t('ui.studies.form.measureFault')]),
      )),
    ...(error && faultsByField(error)),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    reset()
    if (issues.length > 0 || measureFaults.length > 0 || pairFaults(values.metadata).size > 0)
      return
    if (details && Object.keys(body).length === 0) return onDone(details.study.studyId)
    send(area, details?.study.studyId ?? null, body, onDone)
  }
  return {
    area,
    setArea,
    fields: {
      values,
      faults,
      set: (change: Partial<StudyValues>) => setValues((now) => ({ ...now, ...change })),
    },
    isUntouched: JSON.stringify(values) === JSON.stringify(before),
    submit,
    error,
    isBusy,
  }
}
