//! The attribute `#[actor]`: the messages and the proxy of a trait.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, ItemTrait, Pat, Path, PathArguments,
    ReturnType, TraitItem, TraitItemFn, Type, TypeParamBound,
};

/// One method of the trait: a message.
struct Method {
    name: Ident,
    variant: Ident,
    docs: Vec<Attribute>,
    parameters: Vec<(Ident, Type)>,
    takes_context: bool,
    is_async: bool,
    /// What it answers, if it is a request.
    answer: Option<Type>,
    /// Whether it takes the reply as its last parameter, to answer when it likes.
    takes_reply: bool,
    /// As the trait declares it.
    declaration: TokenStream,
}

/// The names that are made of the name of a trait.
struct Names {
    proxy: Ident,
    message: Ident,
}

/// Expands the trait.
pub fn expand(item: &ItemTrait, is_cloned: bool) -> syn::Result<TokenStream> {
    if !item.generics.params.is_empty() {
        let message = "an actor's trait takes no parameters; give the types by name";
        return Err(Error::new(item.generics.span(), message));
    }
    let methods: Vec<Method> = item.items.iter().map(method).collect::<Result<_, _>>()?;
    let bases: Vec<&Path> = item.supertraits.iter().filter_map(base).collect();
    if methods.is_empty() && bases.is_empty() {
        let message = "an actor needs a message; add a method";
        return Err(Error::new(item.ident.span(), message));
    }
    let names = Names {
        proxy: format_ident!("{}Proxy", item.ident),
        message: format_ident!("{}Message", item.ident),
    };
    let parts = [
        declaration(item, &methods),
        messages(item, &names, &methods, &bases, is_cloned),
        proxy(item, &names, &methods),
        narrowing(&names, &bases),
        dispatch(item, &names, &methods, &bases),
    ];
    Ok(quote!(#(#parts)*))
}

/// A trait of which this one has the messages, too.
fn base(bound: &TypeParamBound) -> Option<&Path> {
    match bound {
        TypeParamBound::Trait(bound) => {
            let name = &bound.path.segments.last()?.ident;
            let is_marker = ["Send", "Sync", "Sized"]
                .iter()
                .any(|marker| name == marker);
            (!is_marker).then_some(&bound.path)
        }
        _ => None,
    }
}

/// The path of something that was made of a base.
fn made_of(base: &Path, what: &str) -> Path {
    let mut path = base.clone();
    if let Some(last) = path.segments.last_mut() {
        last.ident = format_ident!("{}{what}", last.ident);
    }
    path
}

fn variant_of(base: &Path) -> Ident {
    let last = base.segments.last();
    last.map_or_else(
        || Ident::new("Base", Span::call_site()),
        |last| last.ident.clone(),
    )
}

fn method(item: &TraitItem) -> syn::Result<Method> {
    let TraitItem::Fn(function) = item else {
        let message = "an actor's trait has methods only, its messages";
        return Err(Error::new(item.span(), message));
    };
    let signature = &function.sig;
    let receiver = signature.receiver();
    if !receiver.is_some_and(|own| own.reference.is_some() && own.mutability.is_some()) {
        let message = "a message is handled by `&mut self`; make that the first parameter";
        return Err(Error::new(signature.span(), message));
    }
    if !signature.generics.params.is_empty() {
        let message = "a message takes no type parameters; give the types by name";
        return Err(Error::new(signature.generics.span(), message));
    }
    if let Some(body) = &function.default {
        let message = "a message has no body here; write it where the trait is implemented";
        return Err(Error::new(body.span(), message));
    }
    let mut parameters = Vec::new();
    let mut takes_context = false;
    for argument in signature.inputs.iter().skip(1) {
        let FnArg::Typed(argument) = argument else {
            continue;
        };
        if parameters.is_empty() && !takes_context && is_context(&argument.ty) {
            takes_context = true;
            continue;
        }
        match &*argument.pat {
            Pat::Ident(name) => parameters.push((name.ident.clone(), (*argument.ty).clone())),
            other => {
                let message = "a parameter of a message needs a name";
                return Err(Error::new(other.span(), message));
            }
        }
    }
    let returned = match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, answer) => Some((**answer).clone()),
    };
    let replied = parameters.last().and_then(|(_, of)| answer_of_reply(of));
    let takes_reply = replied.is_some();
    if takes_reply {
        parameters.pop();
    }
    if takes_reply && returned.is_some() {
        let message =
            "a message is answered by what it returns or by a reply; leave out one of them";
        return Err(Error::new(signature.output.span(), message));
    }
    let is_doc = |attribute: &&Attribute| attribute.path().is_ident("doc");
    Ok(Method {
        name: signature.ident.clone(),
        variant: camel(&signature.ident),
        docs: function.attrs.iter().filter(is_doc).cloned().collect(),
        parameters,
        takes_context,
        is_async: signature.asyncness.is_some(),
        declaration: declared(function, returned.as_ref()),
        answer: replied.or(returned),
        takes_reply,
    })
}

/// A method as the trait declares it. The future of an asynchronous one can go to another thread.
fn declared(function: &TraitItemFn, answer: Option<&Type>) -> TokenStream {
    if function.sig.asyncness.is_none() {
        return quote!(#function);
    }
    let (attributes, name, inputs) = (&function.attrs, &function.sig.ident, &function.sig.inputs);
    let answer = answer.map_or_else(|| quote!(()), |answer| quote!(#answer));
    quote! {
        #(#attributes)*
        fn #name(#inputs) -> impl ::core::future::Future<Output = #answer> + ::core::marker::Send;
    }
}

/// The `T` of a parameter `Reply<T>`.
fn answer_of_reply(parameter: &Type) -> Option<Type> {
    let Type::Path(path) = parameter else {
        return None;
    };
    let last = path
        .path
        .segments
        .last()
        .filter(|last| last.ident == "Reply")?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(answer) => Some(answer.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a parameter is the context: a reference to a type of that name.
fn is_context(parameter: &Type) -> bool {
    let Type::Reference(reference) = parameter else {
        return false;
    };
    match &*reference.elem {
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "Context")
        }
        _ => false,
    }
}

/// `send_all` as `SendAll`.
fn camel(name: &Ident) -> Ident {
    let mut camel = String::new();
    let text = name.to_string();
    for word in text.trim_start_matches("r#").split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    Ident::new(&camel, name.span())
}

fn declaration(item: &ItemTrait, methods: &[Method]) -> TokenStream {
    let (attributes, visibility, name) = (&item.attrs, &item.vis, &item.ident);
    let bounds = item.supertraits.iter();
    let methods = methods.iter().map(|method| &method.declaration);
    quote! {
        #(#attributes)*
        #visibility trait #name: #(#bounds +)* ::core::marker::Send + 'static {
            #(#methods)*
        }
    }
}

fn messages(
    item: &ItemTrait,
    Names { message, .. }: &Names,
    methods: &[Method],
    bases: &[&Path],
    is_cloned: bool,
) -> TokenStream {
    let visibility = &item.vis;
    let derive = is_cloned.then(|| quote!(#[derive(::core::clone::Clone)]));
    let copy = is_cloned.then(|| {
        quote! {
            const CAN_BE_COPIED: bool = true;

            fn copy(&self) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(::core::clone::Clone::clone(self))
            }
        }
    });
    let variants = methods.iter().map(|method| {
        let (variant, docs) = (&method.variant, &method.docs);
        let (names, types) = split(method);
        let reply = method.answer.as_ref().map(|answer| {
            quote!(#[doc = "Where the answer goes."] reply_to: ::unpick_actors::Reply<#answer>)
        });
        quote!(#(#docs)* #variant { #(#[allow(missing_docs)] #names: #types,)* #reply })
    });
    let texts = methods.iter().map(|method| {
        let (variant, text) = (&method.variant, method.name.to_string());
        quote!(Self::#variant { .. } => #text)
    });
    let base_variants = bases.iter().map(|base| {
        let (variant, message) = (variant_of(base), made_of(base, "Message"));
        quote!(#[allow(missing_docs)] #variant(#message))
    });
    let base_texts = bases.iter().map(|base| {
        let variant = variant_of(base);
        quote!(Self::#variant(message) => ::unpick_actors::Message::name(message))
    });
    let title = format!("The messages of [`{}`].", item.ident);
    quote! {
        #[doc = #title]
        #[allow(missing_docs)]
        #derive
        #visibility enum #message { #(#variants,)* #(#base_variants,)* }

        impl ::unpick_actors::Message for #message {
            fn name(&self) -> &'static str {
                match self { #(#texts,)* #(#base_texts,)* }
            }

            #copy
        }
    }
}

fn split(method: &Method) -> (Vec<&Ident>, Vec<&Type>) {
    method
        .parameters
        .iter()
        .map(|(name, of)| (name, of))
        .unzip()
}

fn proxy(item: &ItemTrait, Names { proxy, message }: &Names, methods: &[Method]) -> TokenStream {
    let visibility = &item.vis;
    let sends = methods.iter().map(|method| {
        let (name, variant, docs) = (&method.name, &method.variant, &method.docs);
        let (names, types) = split(method);
        let span = name.span();
        match &method.answer {
            None => quote_spanned! {span=>
                #(#docs)*
                #[track_caller]
                #visibility fn #name(&self, #(#names: #types),*) {
                    self.0.send(#message::#variant { #(#names),* });
                }
            },
            Some(answer) => quote_spanned! {span=>
                #(#docs)*
                #[track_caller]
                #visibility fn #name(
                    &self,
                    #(#names: #types),*
                ) -> ::unpick_actors::Response<#answer> {
                    self.0.request(|reply_to| #message::#variant { #(#names,)* reply_to })
                }
            },
        }
    });
    let title = format!(
        "A reference to an actor: its methods send the messages of [`{}`].",
        item.ident
    );
    quote! {
        #[doc = #title]
        #[derive(Clone, Debug)]
        #visibility struct #proxy(::unpick_actors::Address<#message>);

        impl ::unpick_actors::Proxy for #proxy {
            type Message = #message;

            fn from_address(address: ::unpick_actors::Address<#message>) -> Self {
                #proxy(address)
            }

            fn address(&self) -> &::unpick_actors::Address<#message> {
                &self.0
            }
        }

        #[allow(dead_code)]
        impl #proxy {
            #(#sends)*
        }
    }
}

/// A proxy can become one that knows the messages of a base only.
fn narrowing(Names { proxy, message }: &Names, bases: &[&Path]) -> TokenStream {
    let narrowings = bases.iter().map(|base| {
        let (variant, base_proxy) = (variant_of(base), made_of(base, "Proxy"));
        let base_message = made_of(base, "Message");
        quote! {
            impl ::core::convert::From<#base_message> for #message {
                fn from(message: #base_message) -> Self {
                    #message::#variant(message)
                }
            }

            impl ::core::convert::From<#proxy> for #base_proxy {
                fn from(wide: #proxy) -> Self {
                    <#base_proxy as ::unpick_actors::Proxy>::from_address(wide.0.narrow())
                }
            }
        }
    });
    quote!(#(#narrowings)*)
}

fn dispatch(
    item: &ItemTrait,
    Names { proxy, message }: &Names,
    methods: &[Method],
    bases: &[&Path],
) -> TokenStream {
    let actor = &item.ident;
    let arms = methods.iter().map(|method| {
        let (name, variant) = (&method.name, &method.variant);
        let (names, _) = split(method);
        let fields: Vec<Ident> = (0..names.len())
            .map(|index| format_ident!("field_{index}"))
            .collect();
        let context = method.takes_context.then(|| quote!(context,));
        let awaited = method.is_async.then(|| quote!(.await));
        let reply = method.takes_reply.then(|| quote!(reply_to));
        let call = quote!(<A as #actor>::#name(actor, #context #(#fields,)* #reply) #awaited);
        match &method.answer {
            Some(_) if method.takes_reply => {
                quote!(#message::#variant { #(#names: #fields,)* reply_to } => #call)
            }
            None => quote!(#message::#variant { #(#names: #fields),* } => #call),
            Some(_) => quote_spanned! {name.span()=>
                #message::#variant { #(#names: #fields,)* reply_to } => reply_to.send(#call)
            },
        }
    });
    let base_arms = bases.iter().map(|base| {
        let (variant, base_proxy) = (variant_of(base), made_of(base, "Proxy"));
        quote! {
            #message::#variant(message) => {
                let narrowed = context.narrow();
                <#base_proxy as ::unpick_actors::Serve<A>>::serve(actor, message, &narrowed).await
            }
        }
    });
    quote! {
        impl<A: #actor> ::unpick_actors::Serve<A> for #proxy {
            async fn serve(
                actor: &mut A,
                message: #message,
                context: &::unpick_actors::Context<#proxy>,
            ) {
                let _ = context;
                match message { #(#arms,)* #(#base_arms,)* }
            }
        }
    }
}
