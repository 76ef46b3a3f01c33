import { Stack, TextInput } from '@mantine/core'
import { type ExpressCustomer, express } from '#shared/contract/express.ts'
import type { InputOf } from '#shared/operation.ts'
import type { ProblemError } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { CUSTOMER_OPERATIONS, failed } from '../../ui/customer-links.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { MetadataFields } from '../../ui/metadata-fields.tsx'
import {
  isSameMetadata,
  type MetadataPair,
  metadataOf,
  pairFaults,
  pairsOf,
} from '../../ui/metadata-pairs.ts'
import { showDone } from '../../ui/undo.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

const MAX_NAME_CHARACTERS = 500

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
  const create = useSend(express.create, CUSTOMER_OPERATIONS)
  const update = useSend(express.update, CUSTOMER_OPERATIONS)
  const { form, submit } = useContractForm<Values, InputOf<typeof express.create>['body']>({
    operation: express.create,
    initialValues: {
      expressCustomerName: customer?.expressCustomerName ?? '',
      metadata: pairsOf(customer?.metadata),
    },
    bodyOf({ expressCustomerName, metadata: pairs }) {
      const metadata = metadataOf(pairs)
      const hasMetadata = Object.keys(metadata).length > 0
      return { expressCustomerName: expressCustomerName.trim(), ...(hasMetadata && { metadata }) }
    },
    check: ({ expressCustomerName, metadata }) => ({
      ...(expressCustomerName.trim() === '' && {
        expressCustomerName: t('ui.customers.form.nameNeeded'),
      }),
      // Shown beside its line.
      ...(pairFaults(metadata).size > 0 && { lines: true }),
    }),
    send(body, onError) {
      if (customer) return change(customer, body, onError)
      const onSuccess = (made: ExpressCustomer) => {
        showDone(t('ui.customers.added', { name: made.expressCustomerName }))
        onDone(made)
      }
      create.mutate({ body }, { onSuccess, onError })
    },
  })

  /** Sends only what was changed: a partner may change the rest meanwhile. */
  function change(
    { expressCustomerId, ...given }: ExpressCustomer,
    { expressCustomerName, metadata = {} }: InputOf<typeof express.create>['body'],
    onError: (error: ProblemError) => void,
  ): void {
    const isEmpty = Object.keys(metadata ?? {}).length === 0
    const body = {
      ...(expressCustomerName !== given.expressCustomerName && { expressCustomerName }),
      ...(!isSameMetadata(metadata, given.metadata) && { metadata: isEmpty ? null : metadata }),
    }
    if (Object.keys(body).length === 0) {
      onCancel()
      return
    }
    const before = {
      ...('expressCustomerName' in body && { expressCustomerName: given.expressCustomerName }),
      ...('metadata' in body && { metadata: given.metadata ?? null }),
    }
    const params = { expressCustomerId }
    const onSuccess = (changed: ExpressCustomer) => {
      showDone(
        t('ui.customers.saved'),
        () => void update.mutateAsync({ params, body: before }).catch(failed),
      )
      onDone(changed)
    }
    update.mutate({ params, body }, { onSuccess, onError })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('ui.customers.form.name.label')}
          description={t('ui.customers.form.name.description')}
          required
          data-autofocus
          maxLength={MAX_NAME_CHARACTERS}
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
