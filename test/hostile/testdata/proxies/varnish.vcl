vcl 4.0;
backend gateway { .host = "192.0.2.11"; .port = "8080"; }
sub vcl_recv { return (pass); }
