import {
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { useSend } from '../../api/queries.ts'
import { useMayManage } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { fieldTexts } from '../../ui/field-texts.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { showDone } from '../../ui/undo.tsx'
import { topField, useContractForm } from '../../ui/use-contract-form.ts'
import { Preview } from './preview.tsx'
import { bodyOf, type TemplateValues, valuesOf } from './template-values.ts'
import css from './templates.module.css'

const told = fieldTexts('ui.templates.form')

/** Adds a template or macro, or changes one. `like` is what a new one begins as. */
export function TemplateForm(props: {
  template: ReportTemplate | null
  like: ReportTemplate | null
  onDone: () => void
}) {
  const { template, like, onDone } = props
  const add = useSend(dashboardReports.addTemplate, [dashboardReports.templates])
  const change = useSend(dashboardReports.changeTemplate, [dashboardReports.templates])
  const { form, submit } = useContractForm({
    operation: dashboardReports.addTemplate,
    initialValues: valuesOf(template, like),
    bodyOf,
    fieldOf: topField,
    send({ kind, for: whose, ...fields }, onError) {
      const onSuccess = () => {
        showDone(t('ui.templates.saved', { name: fields.name }))
        onDone()
      }
      const done = { onSuccess, onError }
      if (template)
        change.mutate({ params: { templateId: template.templateId }, body: fields }, done)
      else add.mutate({ body: { kind, for: whose, ...fields } }, done)
    },
  })
  const error = add.error ?? change.error
  return (
    <form onSubmit={submit} noValidate>
      <div className={css.columns}>
        <div>
          <FormPart title={t('ui.templates.form.what')}>
            {!template && <KindAndOwnerFields form={form} />}
            <TextInput
              {...told('name')}
              required
              data-autofocus
              maxLength={100}
              {...form.getInputProps('name')}
            />
            <TextInput {...told('shortcut')} maxLength={20} {...form.getInputProps('shortcut')} />
            <Textarea
              {...told('text')}
              required
              autosize
              minRows={9}
              maxRows={22}
              maxLength={50_000}
              spellCheck={false}
              {...form.getInputProps('text')}
            />
          </FormPart>
        </div>
        <div>
          <FormPart title={t('ui.templates.form.preview')}>
            <Preview text={form.values.text} />
          </FormPart>
          <ScopeFields form={form} />
        </div>
      </div>
      <FormEnd
        error={error}
        cancel={t('ui.templates.form.cancel')}
        submit={template ? t('ui.templates.form.save') : t('ui.templates.form.add')}
        isBusy={add.isPending || change.isPending}
        onCancel={onDone}
      />
    </form>
  )
}

/** What a new one is, and for whom; neither changes afterwards. */
function KindAndOwnerFields({ form }: { form: UseFormReturnType<TemplateValues> }) {
  const mayManage = useMayManage()
  return (
    <Group gap={12}>
      <SegmentedControl
        size="xs"
        aria-label={t('ui.templates.form.kind')}
        data={(['template', 'macro'] as const).map((value) => ({
          value,
          label: t(`ui.templates.kinds.${value}`),
        }))}
        {...form.getInputProps('kind')}
      />
      {mayManage && (
        <SegmentedControl
          size="xs"
          aria-label={t('ui.templates.form.for')}
          data={[
            { value: 'mine', label: t('ui.templates.form.forMine') },
            { value: 'everybody', label: t('ui.templates.form.forEverybody') },
          ]}
          {...form.getInputProps('for')}
        />
      )}
    </Group>
  )
}

/** The studies that it is offered for. */
function ScopeFields({ form }: { form: UseFormReturnType<TemplateValues> }) {
  return (
    <FormPart title={t('ui.templates.form.scope')}>
      <Text size="sm" c="dimmed">
        {t('ui.templates.form.scopeAbout')}
      </Text>
      <TagsInput
        {...told('modalities')}
        maxTags={20}
        acceptValueOnBlur
        clearable={false}
        {...form.getInputProps('modalities')}
      />
      <TagsInput
        {...told('keywords')}
        maxTags={20}
        acceptValueOnBlur
        clearable={false}
        {...form.getInputProps('keywords')}
      />
      <SimpleGrid cols={3}>
        <Select
          {...told('sex')}
          allowDeselect={false}
          data={[
            { value: '', label: t('ui.templates.form.anySex') },
            ...(['female', 'male', 'other'] as const).map((value) => ({
              value,
              label: t(`ui.templates.sexes.${value}`),
            })),
          ]}
          {...form.getInputProps('sex')}
        />
        <NumberInput
          {...told('ageFrom')}
          min={0}
          max={150}
          allowDecimal={false}
          hideControls
          {...form.getInputProps('ageFrom')}
        />
        <NumberInput
          {...told('ageTo')}
          min={0}
          max={150}
          allowDecimal={false}
          hideControls
          {...form.getInputProps('ageTo')}
        />
      </SimpleGrid>
    </FormPart>
  )
}
