import { PasswordInput, Select, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import {
  dashboardTiers,
  OBJECT_ENCRYPTIONS,
  type Tier,
  type TierSettings,
} from '#shared/contract/tiers.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { fieldTexts } from '../../ui/field-texts.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

const told = fieldTexts('ui.tiers.form')
const KINDS = ['s3', 'dicomweb', 'pacs'] as const

interface Values {
  name: string
  isEnabled: boolean
  isAutomatic: boolean
  kind: TierSettings['kind']
  endpoint: string
  region: string
  bucket: string
  prefix: string
  accessKeyId: string
  isPathStyle: boolean
  encryption: (typeof OBJECT_ENCRYPTIONS)[number]
  certificate: string
  destinationId: string
  url: string
  user: string
  secret: string
}

/** Adds a tier, or changes one. Its kind stays as it is. */
export function TierForm({ tier, onDone }: { tier: Tier | null; onDone: () => void }) {
  const add = useSend(dashboardTiers.add, [dashboardTiers.list])
  const update = useSend(dashboardTiers.update, [dashboardTiers.list])
  const { form, submit } = useContractForm({
    operation: dashboardTiers.add,
    initialValues: valuesOf(tier),
    bodyOf,
    fieldOf: (path) => path.split('.').at(-1) ?? path,
    send(body, onError) {
      const done = { onSuccess: onDone, onError }
      if (tier) update.mutate({ params: { tierId: tier.tierId }, body }, done)
      else add.mutate({ body }, done)
    },
  })
  const { kind } = form.values
  return (
    <form onSubmit={submit} noValidate>
      <FormPart title={t('ui.tiers.form.what')}>
        <TextInput
          {...told('name')}
          data-autofocus
          required
          maxLength={64}
          {...form.getInputProps('name')}
        />
        <Select
          {...told('kind')}
          disabled={tier !== null}
          allowDeselect={false}
          data={KINDS.map((value) => ({ value, label: t(`ui.tiers.kinds.${value}.name`) }))}
          {...form.getInputProps('kind')}
        />
        <Switch {...told('isEnabled')} {...form.getInputProps('isEnabled', { type: 'checkbox' })} />
        {kind === 's3' && (
          <Switch
            {...told('isAutomatic')}
            {...form.getInputProps('isAutomatic', { type: 'checkbox' })}
          />
        )}
      </FormPart>
      {kind === 's3' && <ObjectStoreFields form={form} hasSecret={tier?.hasSecret ?? false} />}
      {kind === 'dicomweb' && <DicomwebFields form={form} hasSecret={tier?.hasSecret ?? false} />}
      {kind === 'pacs' && <PacsFields form={form} />}
      <FormEnd
        error={add.error ?? update.error}
        cancel={t('ui.tiers.form.cancel')}
        submit={tier ? t('ui.tiers.form.save') : t('ui.tiers.form.add')}
        isBusy={add.isPending || update.isPending}
        onCancel={onDone}
      />
    </form>
  )
}

type Form = ReturnType<typeof useContractForm<Values, ReturnType<typeof bodyOf>>>['form']

function ObjectStoreFields({ form, hasSecret }: { form: Form; hasSecret: boolean }) {
  return (
    <>
      <FormPart title={t('ui.tiers.form.store')}>
        <TextInput
          {...told('endpoint')}
          required
          maxLength={500}
          placeholder="https://"
          {...form.getInputProps('endpoint')}
        />
        <SimpleGrid cols={2}>
          <TextInput {...told('bucket')} required {...form.getInputProps('bucket')} />
          <TextInput {...told('region')} required {...form.getInputProps('region')} />
        </SimpleGrid>
        <TextInput {...told('prefix')} {...form.getInputProps('prefix')} />
        <TextInput {...told('accessKeyId')} required {...form.getInputProps('accessKeyId')} />
        <SecretField form={form} field="secretKey" hasSecret={hasSecret} />
        <Switch
          {...told('isPathStyle')}
          {...form.getInputProps('isPathStyle', { type: 'checkbox' })}
        />
      </FormPart>
      <FormPart title={t('ui.tiers.form.security')}>
        <Select
          {...told('encryption')}
          allowDeselect={false}
          data={OBJECT_ENCRYPTIONS.map((value) => ({
            value,
            label: t(`ui.tiers.encryptions.${value}`),
          }))}
          {...form.getInputProps('encryption')}
        />
        <Certificate form={form} />
      </FormPart>
    </>
  )
}

const DicomwebFields = ({ form, hasSecret }: { form: Form; hasSecret: boolean }) => (
  <FormPart title={t('ui.tiers.form.service')}>
    <TextInput
      {...told('url')}
      required
      maxLength={500}
      placeholder="https://"
      {...form.getInputProps('url')}
    />
    <TextInput {...told('user')} {...form.getInputProps('user')} />
    {form.values.user !== '' && <SecretField form={form} field="password" hasSecret={hasSecret} />}
    <Certificate form={form} />
  </FormPart>
)

function PacsFields({ form }: { form: Form }) {
  const destinations = useReply(dashboardDestinations.list, {}).data?.destinations ?? []
  return (
    <FormPart title={t('ui.tiers.form.service')}>
      <Select
        {...told('destinationId')}
        required
        data={destinations
          .filter(({ hasPriors }) => hasPriors)
          .map(({ destinationId, name }) => ({ value: destinationId, label: name }))}
        {...form.getInputProps('destinationId')}
      />
    </FormPart>
  )
}

const SecretField = (props: {
  form: Form
  field: 'secretKey' | 'password'
  hasSecret: boolean
}) => (
  <PasswordInput
    {...told(props.field)}
    autoComplete="off"
    maxLength={512}
    placeholder={props.hasSecret ? t('ui.tiers.form.secretKept') : ''}
    {...props.form.getInputProps('secret')}
  />
)

const Certificate = ({ form }: { form: Form }) => (
  <Textarea
    {...told('certificate')}
    autosize
    minRows={3}
    maxRows={8}
    classNames={{ input: 'mono' }}
    {...form.getInputProps('certificate')}
  />
)

/** What the form begins with. @param tier null for a new one */
function valuesOf(tier: Tier | null): Values {
  const settings: Partial<TierSettings> = tier?.settings ?? {}
  return {
    ...{ name: '', isEnabled: true, isAutomatic: false, kind: 's3', destinationId: '' },
    ...{ endpoint: '', region: 'us-east-1', bucket: '', prefix: '', accessKeyId: '' },
    ...{ isPathStyle: true, encryption: 'none', url: '', user: '', secret: '' },
    ...(tier && { name: tier.name, isEnabled: tier.isEnabled, isAutomatic: tier.isAutomatic }),
    ...settings,
    certificate: ('certificate' in settings ? settings.certificate : null) ?? '',
  }
}

const bodyOf = ({ name, isEnabled, isAutomatic, secret, ...values }: Values) => ({
  ...{ name, isEnabled, settings: settingsOf(values) },
  isAutomatic: isAutomatic && values.kind === 's3',
  ...(secret !== '' && { secret }),
})

function settingsOf(values: Omit<Values, 'name' | 'isEnabled' | 'isAutomatic' | 'secret'>) {
  const { kind, destinationId, url, user, ...store } = values
  const certificate = values.certificate.trim() || null
  if (kind === 'pacs') return { kind, destinationId }
  if (kind === 'dicomweb') return { kind, url, user, certificate }
  return { ...store, kind, certificate }
}
