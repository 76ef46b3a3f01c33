import { NumberInput, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import {
  dashboardLifecycle,
  LIFECYCLE_SINCE,
  type LifecycleRule,
  type NewLifecycleRule,
} from '#shared/contract/lifecycle.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { fieldTexts } from '../../ui/field-texts.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { topField, useContractForm } from '../../ui/use-contract-form.ts'

const told = fieldTexts('ui.lifecycle.form')
const CHANGES = [dashboardLifecycle.overview]

type Values = Omit<NewLifecycleRule, 'days' | 'copies'> & {
  readonly days: number | string
  readonly copies: number | string
}

/** Adds a rule, or changes one. It is off afterwards. */
export function RuleForm({
  rule,
  onDone,
  onCancel,
}: {
  rule: LifecycleRule | null
  onDone: (saved: LifecycleRule) => void
  onCancel: () => void
}) {
  const add = useSend(dashboardLifecycle.add, CHANGES)
  const update = useSend(dashboardLifecycle.update, CHANGES)
  const { form, submit } = useContractForm({
    operation: dashboardLifecycle.add,
    initialValues: valuesOf(rule),
    bodyOf,
    fieldOf: topField,
    send(body, onError) {
      const callbacks = { onSuccess: onDone, onError }
      if (rule) update.mutate({ params: { ruleId: rule.ruleId }, body }, callbacks)
      else add.mutate({ body }, callbacks)
    },
  })
  const isSigned = form.values.since === 'signed'
  return (
    <form onSubmit={submit} noValidate>
      <FormPart title={t('ui.lifecycle.form.what')}>
        <TextInput
          {...told('name')}
          data-autofocus
          required
          maxLength={80}
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={2}>
          <NumberInput
            {...told('days')}
            required
            min={0}
            max={36_500}
            allowDecimal={false}
            {...form.getInputProps('days')}
          />
          <Select
            {...told('since')}
            allowDeselect={false}
            data={LIFECYCLE_SINCE.map((value) => ({
              value,
              label: t(`ui.lifecycle.form.sinceChoices.${value}`),
            }))}
            {...form.getInputProps('since')}
          />
        </SimpleGrid>
        <TagsInput
          {...told('modalities')}
          acceptValueOnBlur
          {...form.getInputProps('modalities')}
        />
        <TagsInput {...told('devices')} acceptValueOnBlur {...form.getInputProps('devices')} />
      </FormPart>
      <FormPart title={t('ui.lifecycle.form.conditions')}>
        <NumberInput
          {...told('copies')}
          required
          min={1}
          max={5}
          allowDecimal={false}
          {...form.getInputProps('copies')}
        />
        <Switch
          {...told('requiresSignedReport')}
          {...form.getInputProps('requiresSignedReport', { type: 'checkbox' })}
          disabled={isSigned}
          {...(isSigned && { checked: true })}
        />
        <Switch
          {...told('isEarlierWhenLow')}
          {...form.getInputProps('isEarlierWhenLow', { type: 'checkbox' })}
        />
        <Switch {...told('readsBack')} {...form.getInputProps('readsBack', { type: 'checkbox' })} />
      </FormPart>
      <FormEnd
        error={add.error ?? update.error}
        cancel={t('ui.lifecycle.form.cancel')}
        submit={t('ui.lifecycle.form.save')}
        isBusy={add.isPending || update.isPending}
        onCancel={onCancel}
      />
    </form>
  )
}

const valuesOf = (rule: LifecycleRule | null): Values => ({
  name: rule?.name ?? '',
  since: rule?.since ?? 'signed',
  days: rule?.days ?? 90,
  modalities: rule?.modalities ?? [],
  devices: rule?.devices ?? [],
  requiresSignedReport: rule?.requiresSignedReport ?? true,
  copies: rule?.copies ?? 2,
  isEarlierWhenLow: rule?.isEarlierWhenLow ?? false,
  readsBack: rule?.readsBack ?? false,
})

const bodyOf = (values: Values): NewLifecycleRule => ({
  ...values,
  days: Number(values.days),
  copies: Number(values.copies),
})
