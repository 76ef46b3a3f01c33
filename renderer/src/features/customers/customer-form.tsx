import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ExpressCustomer, express } from '#shared/contract/express.ts'
import { faultsByField, type ProblemError } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { CUSTOMER_REPLIES, failed } from '../../ui/customer-links.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { useFormGuard } from '../../ui/form-guard.tsx'
import { MetadataFields } from '../../ui/metadata-fields.tsx'
import {
  isSameMetadata,
  type MetadataPair,
  metadataOf,
  pairFaults,
  pairsOf,
} from '../../ui/metadata-pairs.ts'
import { showDone } from '../../ui/undo.tsx'

const NAME_CHARACTERS = 500

interface Values {
  expressCustomerName: string
  metadata: readonly MetadataPair[]
}

/** Adds a customer, or changes name and metadata of one. */
export function CustomerForm(props: {
  customer: ExpressCustomer | null
  onDone: (customer: ExpressCustomer) => void
  onCancel: () => void
}) {
  const { customer, onDone, onCancel } = props
  const create = useSend(express.create, CUSTOMER_REPLIES)
  const update = useSend(express.update, CUSTOMER_REPLIES)
  const form = useForm<Values>({
    initialValues: {
      expressCustomerName: customer?.expressCustomerName ?? '',
      metadata: pairsOf(customer?.metadata),
    },
    validate: ({ expressCustomerName, metadata }) => ({
      ...(expressCustomerName.trim() === '' && {
        expressCustomerName: t('ui.customers.form.nameNeeded'),
      }),
      // Shown beside its line.
      ...(pairFaults(metadata).size > 0 && { lines: true }),
    }),
  })
  useFormGuard(form.isDirty())
  const onError = (error: ProblemError) => form.setErrors(faultsByField(error))

  const submit = form.onSubmit((values) => {
    const expressCustomerName = values.expressCustomerName.trim()
    const metadata = metadataOf(values.metadata)
    const isEmpty = Object.keys(metadata).length === 0
    if (!customer) {
      return create.mutate(
        { body: { expressCustomerName, ...(!isEmpty && { metadata }) } },
        {
          onSuccess(made) {
            showDone(t('ui.customers.added', { name: made.expressCustomerName }))
            onDone(made)
          },
          onError,
        },
      )
    }
    const { expressCustomerId } = customer
    // Only what was changed is sent: a partner may change the rest meanwhile.
    const body = {
      ...(expressCustomerName !== customer.expressCustomerName && { expressCustomerName }),
      ...(!isSameMetadata(metadata, customer.metadata) && { metadata: isEmpty ? null : metadata }),
    }
    if (Object.keys(body).length === 0) return onCancel()
    const before = {
      ...('expressCustomerName' in body && { expressCustomerName: customer.expressCustomerName }),
      ...('metadata' in body && { metadata: customer.metadata ?? null }),
    }
    update.mutate(
      { params: { expressCustomerId }, body },
      {
        onSuccess(changed) {
          showDone(
            t('ui.customers.saved'),
            () =>
              void update
                .mutateAsync({ params: { expressCustomerId }, body: before })
                .catch(failed),
          )
          onDone(changed)
        },
        onError,
      },
    )
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('ui.customers.form.name.label')}
          description={t('ui.customers.form.name.description')}
          required
          data-autofocus
          maxLength={NAME_CHARACTERS}
          {...form.getInputProps('expressCustomerName')}
        />
        <MetadataFields
          value={form.values.metadata}
          onChange={(metadata) => {
            form.setFieldValue('metadata', metadata)
            form.clearFieldError('lines')
          }}
          errors={form.errors}
        />
        <FormEnd
          error={create.error ?? update.error}
          cancel={t('ui.customers.form.cancel')}
          submit={customer ? t('ui.customers.form.save') : t('ui.customers.form.add')}
          isBusy={create.isPending || update.isPending}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  )
}
