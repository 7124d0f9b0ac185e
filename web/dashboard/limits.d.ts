// scripts/field-limits.js makes these modules from openapi.json: `import limits from 'limits:customers.create'`.

declare module 'limits:*' {
  const limits: import('./parts/form/form.tsx').FieldLimits
  export default limits
}
