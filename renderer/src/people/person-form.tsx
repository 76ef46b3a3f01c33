import { Fieldset, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import { CLINIC_ROLES, type Level } from '#shared/contract/people.ts'
import { faultsByField, type ProblemError } from '../client.ts'
import { FormEnd } from '../components/form-end.tsx'
import { Notice } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { useSend } from '../gateway.ts'
import { useSession } from '../session.ts'
import type { Invited } from './changes.ts'
import { bodyOf, faultsOf, nameOf, type PersonValues, RIGHTS, valuesOf } from './person-values.ts'
import { LEVEL_NAMES, ROLE_NAMES } from './roles.ts'
import { keptFrom } from './state.ts'
import { words } from './words.ts'

const { form: texts } = words

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
        showDone(words.saved(nameOf(person)))
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
          {kept && <Notice tone="info">{words.notEditable[kept]}</Notice>}
          <Identity form={form} isInvited={person !== null} />
          {person && person.level !== person.interfaceLevel && (
            <Notice tone="info">{texts.interfaceLevel(LEVEL_NAMES[person.interfaceLevel])}</Notice>
          )}
          {/* An owner is made of a user by an owner; nobody is invited as one. */}
          <Rights
            form={form}
            levels={person && isOwner ? ['member', 'admin', 'owner'] : ['member', 'admin']}
          />
          <FormEnd
            error={invite.error ?? update.error}
            cancel={texts.cancel}
            submit={person ? texts.save : texts.submit}
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
    <Text fw={600}>{texts.who}</Text>
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={texts.firstName}
        required
        data-autofocus
        {...form.getInputProps('firstName')}
      />
      <TextInput label={texts.lastName} required {...form.getInputProps('lastName')} />
    </SimpleGrid>
    <TextInput
      label={texts.email}
      description={texts.emailAbout}
      type="email"
      required
      readOnly={isInvited}
      {...form.getInputProps('email')}
    />
    <Select
      label={texts.clinicRole}
      placeholder={texts.roleAbout}
      data={CLINIC_ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
      allowDeselect={false}
      required
      searchable
      {...form.getInputProps('clinicRole')}
    />
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput label={texts.middleName} {...form.getInputProps('middleName')} />
      <TextInput
        label={texts.phoneNumber}
        placeholder={texts.phoneAbout}
        inputMode="tel"
        {...form.getInputProps('phoneNumber')}
      />
      <TextInput label={texts.suffix1} {...form.getInputProps('suffix1')} />
      <TextInput label={texts.suffix2} {...form.getInputProps('suffix2')} />
    </SimpleGrid>
  </>
)

const Rights = ({ form, levels }: { form: Form; levels: readonly Level[] }) => (
  <>
    <Text fw={600}>{texts.rights}</Text>
    <Select
      label={texts.level}
      description={texts.levelAbout}
      allowDeselect={false}
      data={levels.map((level) => ({ value: level, label: LEVEL_NAMES[level] }))}
      {...form.getInputProps('level')}
    />
    {RIGHTS.map((name) => (
      <Switch
        key={name}
        label={texts[name][0]}
        description={texts[name][1]}
        {...form.getInputProps(name, { type: 'checkbox' })}
      />
    ))}
    <TextInput
      label={texts.npiNumber}
      description={texts.npiAbout}
      inputMode="numeric"
      maxLength={10}
      {...form.getInputProps('npiNumber')}
    />
  </>
)
