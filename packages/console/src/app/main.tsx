/** Starts the console in the page: queries, router, language. */
import './nonce.ts';
import './base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, whenSignedOut } from '../api/client.ts';
import { activateLanguage } from '../i18n/t.ts';
import { Toasts } from '../parts/base/toast.tsx';
import { applyTheme, preferences, usePreferences } from '../state/preferences.ts';
import { ME_KEY } from '../state/session.ts';
import { router } from './router.tsx';

const RETRIES = 2;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Retry only requests without a response: the API would refuse the same request again.
      retry: (failures, error) => failures < RETRIES && error instanceof ApiError && error.status === 0,
      refetchOnWindowFocus: false,
      staleTime: 10_000,
    },
  },
});
whenSignedOut(() => queries.setQueryData(ME_KEY, null));

function App() {
  // Texts are looked up when a component renders, so a change of language renders everything again.
  const { language } = usePreferences();
  return (
    <QueryClientProvider client={queries} key={language}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  );
}

applyTheme();
await activateLanguage(preferences().language);
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
