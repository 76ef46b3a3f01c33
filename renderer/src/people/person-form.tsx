import { Fieldset, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import { CLINIC_ROLES, type Level } from '#shared/contract/people.ts'
import { faultsByField, type ProblemError } from '../client.ts'
import { FormEnd } from '../components/form-end.tsx'
import { Notice } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { useSend } from '../gateway.ts'
import { t } from '../i18n/t.ts'
import { useSession } from '../session.ts'
import type { Invited } from './changes.ts'
import { bodyOf, faultsOf, nameOf, type PersonValues, RIGHTS, valuesOf } from './person-values.ts'
import { LEVEL_NAMES, ROLE_NAMES } from './roles.ts'
import { keptFrom } from './state.ts'

/** Invites a person, or changes one. `like` is who is invited once more. */
export function PersonForm(props: {
  person: Person | null
  like?: Person | null
  onInvited: (invited: Invited) => void
  onDone: () => void
}) {
  const { person, like = null, onInvited, onDone } = props
  const isOwner = useSession().data?.user?.level === 'owner'
  const invite = useSend(dashboardPeople.invitePerson, [dashboardPeople.people])
  const update = useSend(dashboardPeople.updatePerson, [dashboardPeople.people])
  const form = useForm<PersonValues>({
    initialValues: valuesOf(person ?? like),
    validate: (values) => faultsOf(values, person),
  })
  const onError = (error: ProblemError) => form.setErrors(faultsByField(error))
  const submit = form.onSubmit((values) => {
    const body = bodyOf(values, person)
    if (person) {
      const onSuccess = () => {
        showDone(t('ui.people.saved', { name: nameOf(person) }))
        onDone()
      }
      return update.mutate({ params: { userId: person.userId }, body }, { onSuccess, onError })
    }
    const onSuccess = (invited: Invited) => {
      onDone()
      onInvited(invited)
    }
    invite.mutate(
      { body: body as Parameters<typeof invite.mutate>[0]['body'] },
      { onSuccess, onError },
    )
  })
  const kept = person && keptFrom(person, isOwner)

  return (
    <form onSubmit={submit} noValidate>
      <Fieldset variant="unstyled" disabled={Boolean(kept)}>
        <Stack>
          {kept && <Notice tone="info">{t(`ui.people.notEditable.${kept}`)}</Notice>}
          <Identity form={form} isInvited={person !== null} />
          {person && person.level !== person.interfaceLevel && (
            <Notice tone="info">
              {t('ui.people.form.interfaceLevel', { level: LEVEL_NAMES[person.interfaceLevel] })}
            </Notice>
          )}
          {/* An owner is made of a user by an owner; nobody is invited as one. */}
          <Rights
            form={form}
            levels={person && isOwner ? ['member', 'admin', 'owner'] : ['member', 'admin']}
          />
          <FormEnd
            error={invite.error ?? update.error}
            cancel={t('ui.people.form.cancel')}
            submit={person ? t('ui.people.form.save') : t('ui.people.form.submit')}
            isBusy={invite.isPending || update.isPending}
            onCancel={onDone}
          />
        </Stack>
      </Fieldset>
    </form>
  )
}

type Form = UseFormReturnType<PersonValues>

const Identity = ({ form, isInvited }: { form: Form; isInvited: boolean }) => (
  <>
    <Text fw={600}>{t('ui.people.form.who')}</Text>
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={t('ui.people.form.firstName')}
        required
        data-autofocus
        {...form.getInputProps('firstName')}
      />
      <TextInput
        label={t('ui.people.form.lastName')}
        required
        {...form.getInputProps('lastName')}
      />
    </SimpleGrid>
    <TextInput
      label={t('ui.people.form.email')}
      description={t('ui.people.form.emailAbout')}
      type="email"
      required
      readOnly={isInvited}
      {...form.getInputProps('email')}
    />
    <Select
      label={t('ui.people.form.clinicRole')}
      placeholder={t('ui.people.form.roleAbout')}
      data={CLINIC_ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
      allowDeselect={false}
      required
      searchable
      {...form.getInputProps('clinicRole')}
    />
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput label={t('ui.people.form.middleName')} {...form.getInputProps('middleName')} />
      <TextInput
        label={t('ui.people.form.phoneNumber')}
        placeholder={t('ui.people.form.phoneAbout')}
        inputMode="tel"
        {...form.getInputProps('phoneNumber')}
      />
      <TextInput label={t('ui.people.form.suffix1')} {...form.getInputProps('suffix1')} />
      <TextInput label={t('ui.people.form.suffix2')} {...form.getInputProps('suffix2')} />
    </SimpleGrid>
  </>
)

const Rights = ({ form, levels }: { form: Form; levels: readonly Level[] }) => (
  <>
    <Text fw={600}>{t('ui.people.form.rights')}</Text>
    <Select
      label={t('ui.people.form.level')}
      description={t('ui.people.form.levelAbout')}
      allowDeselect={false}
      data={levels.map((level) => ({ value: level, label: LEVEL_NAMES[level] }))}
      {...form.getInputProps('level')}
    />
    {RIGHTS.map((name) => (
      <Switch
        key={name}
        label={t(`ui.people.form.${name}.label`)}
        description={t(`ui.people.form.${name}.description`)}
        {...form.getInputProps(name, { type: 'checkbox' })}
      />
    ))}
    <TextInput
      label={t('ui.people.form.npiNumber')}
      description={t('ui.people.form.npiAbout')}
      inputMode="numeric"
      maxLength={10}
      {...form.getInputProps('npiNumber')}
    />
  </>
)
