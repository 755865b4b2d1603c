declare module 'virtual:messages/*' {
  export const messages: Record<string, import('@lingui/core').CompiledMessage>;
}
